package serve

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLogsAreWrittenOnlyWhereSomebodyReadsThem(t *testing.T) {
	t.Parallel()
	off := map[string]string{"TF_LOG_SDK": "OFF", "TF_LOG_PROVIDER_CAS": "OFF"}
	tests := map[string]struct {
		environ []string
		want    map[string]string
	}{
		"nobody asks":             {[]string{"HOME=/", "TF_CLI_CONFIG_FILE=x"}, off},
		"an empty TF_LOG":         {[]string{"TF_LOG="}, off},
		"TF_LOG":                  {[]string{"TF_LOG=DEBUG"}, map[string]string{}},
		"TF_LOG_PROVIDER":         {[]string{"TF_LOG_PROVIDER=TRACE"}, map[string]string{}},
		"levels of the provider":  {[]string{"TF_LOG_PROVIDER_CAS=INFO"}, map[string]string{}},
		"levels of the framework": {[]string{"TF_LOG_SDK_FRAMEWORK=WARN"}, map[string]string{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := map[string]string{}
			err := quiet(test.environ, func(name, value string) error {
				got[name] = value
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
