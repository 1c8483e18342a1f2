package allocation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestPoolOfTenThousand(t *testing.T) {
	const n, more = 10_000, 50
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"%d":{"claimant":"shop/web","id":"ABCDEFGHIJK%05d","since":"2026-11-25T01:47:11Z"}`, 30000+i, i)
	}
	text := "{\n" + strings.Join(members, ",\n") + "\n}"
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": text})
	proxy := p.Proxied()
	p.Write(several(more, `numbers = { from = 30000, to = 49999 }`, `timeouts = { read = "10m", create = "10m", delete = "10m" }`)) // long with the race detector
	p.Plan()
	proxy.Reset()
	begun := time.Now()
	p.Apply()
	t.Logf("%d of a pool of %d, %d bytes: %v, %d requests", more, n, len(text), time.Since(begun), proxy.Count())
	if got := values(p); len(got) != more || got[0] != "40000" || got[more-1] != fmt.Sprint(40000+more-1) {
		t.Errorf("took %v", got)
	}
	proxy.Reset()
	begun = time.Now()
	p.Destroy()
	t.Logf("to refresh and release them: %v, %d requests", time.Since(begun), proxy.Count())
	p.WantLive("testmap", fixture.Data{"foo": text})
}
