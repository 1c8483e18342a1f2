package driver

// Profile has the differences between one command line and the others.
type Profile struct {
	Name string
	// Identity: resource identities are asked for, kept and handed over (Terraform and OpenTofu from 1.12).
	Identity bool
	// ReadsOrphansFirst: an object without a block is read before its removal is planned (OpenTofu, Terraform from 1.12.2).
	ReadsOrphansFirst bool
	// DefersInApply: the apply says that it accepts deferrals, by an accident of Terraform. The plan does not.
	DefersInApply bool
	// MovesApart: states that change their type do so in a process of their own, that is not configured, and are then upgraded. OpenTofu
	// moves in place of the upgrade.
	MovesApart bool
	// PlansOrphans: the removal of an object without a block is planned with -refresh-only as well, and dropped (Terraform).
	PlansOrphans bool
	// KeepsIdentity: the creation of a replace is planned with the identity that the first call planned (Terraform 1.16).
	KeepsIdentity bool
	// PlansBeforeRefresh: there is -minimal-refresh (Terraform 1.17). An instance with changes is planned once more, after its refresh.
	PlansBeforeRefresh bool
	// StartsForAll: an apply starts the providers of all blocks, also of those with nothing to do (Terraform).
	StartsForAll bool
}

var (
	// Terraform111 is Terraform 1.11.
	Terraform111 = Profile{Name: "terraform-1.11", DefersInApply: true, MovesApart: true, PlansOrphans: true, StartsForAll: true}
	// OpenTofu is OpenTofu 1.12.
	OpenTofu = Profile{Name: "opentofu-1.12", Identity: true, ReadsOrphansFirst: true}
	// Terraform116 is Terraform 1.16.
	Terraform116 = Profile{
		Name: "terraform-1.16", Identity: true, ReadsOrphansFirst: true, DefersInApply: true, MovesApart: true, PlansOrphans: true,
		KeepsIdentity: true, StartsForAll: true,
	}
	// Terraform117 is Terraform 1.17, which is not released yet.
	Terraform117 = Profile{
		Name: "terraform-1.17", Identity: true, ReadsOrphansFirst: true, DefersInApply: true, MovesApart: true, PlansOrphans: true,
		KeepsIdentity: true, PlansBeforeRefresh: true, StartsForAll: true,
	}
)
