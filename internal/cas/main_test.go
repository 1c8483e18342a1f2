package cas

import (
	"reflect"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestMain(m *testing.M) { testcluster.Main(m) }

func sameType(a, b error) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }
