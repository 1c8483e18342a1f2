package controlplane_test

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestMain(m *testing.M) { testcluster.Main(m) }
