package testcli

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Layout is how a filesystem mirror keeps a provider.
type Layout string

const (
	// Packed is the archive itself, as `terraform providers mirror` leaves it.
	Packed Layout = "packed"
	// Unpacked is the content of the archive, in a folder for its version and system.
	Unpacked Layout = "unpacked"
)

// MirrorArchive puts a release's archive for one system, such as linux_amd64, into dir as [Mirror] does a binary.
func MirrorArchive(dir, archive, version, system string, layout Layout) (installation string, err error) {
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(dir, host, "terraform-cas", "cas")
		if layout == Unpacked {
			err = unpack(filepath.Join(folder, version, system), archive)
		} else {
			err = pack(folder, archive)
		}
		if err != nil {
			return "", err
		}
	}
	return mirrored(dir), nil
}

func pack(folder, archive string) error {
	content, err := os.ReadFile(archive)
	if err != nil {
		return err
	}
	return errors.Join(
		os.MkdirAll(folder, 0o700),
		os.WriteFile(filepath.Join(folder, filepath.Base(archive)), content, 0o600), //nolint:gosec // the test names it
	)
}

func unpack(folder, archive string) error {
	r, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	return errors.Join(os.CopyFS(folder, r), r.Close())
}

// mirrored is the body of provider_installation that names a mirror, and nothing else to install from.
func mirrored(dir string) string {
	return fmt.Sprintf("  filesystem_mirror {\n    path = %q\n  }\n", dir)
}
