package message

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Row is a row of the table of all diagnostics: the parts of a diagnostic that do not depend on a resource. In titles,
// {Object} and {Key} stand for the nouns of a resource, and in other texts {kind} and {key}.
type Row struct {
	Title    string // the summary, in title case and without values
	Severity string
	Meaning  string // also the first sentence of the diagnostic, unless a constructor has another one
	Next     string // also the next step of the diagnostic, unless a constructor has another one; empty for none
}

// The severities of a row.
const (
	isError   = "Error"
	isWarning = "Warning"
	isEither  = "Error or warning"
)

var table []*Row

// row adds a row to the table.
func row(title, severity, meaning, next string) *Row {
	r := &Row{title, severity, meaning, next}
	table = append(table, r)
	return r
}

// Table returns the rows by title, with the nouns of a ConfigMap.
func Table() []Row {
	var rows []Row
	for _, r := range table {
		rows = append(rows, *r.Of(eval.ConfigMap))
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Title, b.Title) })
	return rows
}

// Of returns the row for keys of objects of a kind.
func (r *Row) Of(kind eval.Kind) *Row {
	return r.with("{Object}", kind.String(), "{Key}", "Key", "{kind}", kind.String(), "{key}", "key")
}

// ofFields returns the row for fields of objects of a kind. Titles name the object by the noun.
func (r *Row) ofFields(kind eval.Kind, noun string) *Row {
	return r.with("{Object}", noun, "{Key}", "Field", "{kind}", kind.String(), "{key}", "field")
}

// with returns the row with its nouns.
func (r *Row) with(nouns ...string) *Row {
	fill := strings.NewReplacer(nouns...).Replace
	return &Row{fill(r.Title), r.Severity, fill(r.Meaning), fill(r.Next)}
}

// With makes an error of the row.
func (r *Row) With(detail string) diag.Diagnostic { return r.At(path.Empty(), detail) }

// Problem makes an error of the row about a fault of an attribute.
func (r *Row) Problem(at path.Path, problem string) diag.Diagnostic {
	return r.At(at, fmt.Sprintf("Attribute %s: %s.", at, problem))
}

// At makes an error of the row about an attribute, or about none if the path is empty.
func (r *Row) At(where path.Path, detail string) diag.Diagnostic {
	return diagnostic(diag.SeverityError, where, r.Title, detail)
}

// diagnostic makes all diagnostics.
func diagnostic(severity diag.Severity, where path.Path, title, detail string) diag.Diagnostic {
	var d diag.Diagnostic = diag.NewErrorDiagnostic(title, detail)
	if severity == diag.SeverityWarning {
		d = diag.NewWarningDiagnostic(title, detail)
	}
	if len(where.Steps()) == 0 {
		return d
	}
	return diag.WithPath(where, d)
}

// The rows.
var (
	APIServerUnreachable = row("API Server Unreachable", isError, "The API server could not be reached.",
		"Check what the cause names: the address or the certificate of the server, the command that gives the "+
			"credentials, or the network.")
	AllocationChangedByAdmission = row("Allocation Changed By Admission", isError,
		"The API server stored another pool than the one that was sent, without the allocation.",
		"Find the admission webhook or policy that changes this key, and exempt it. The next apply releases what is "+
			"left, and takes a value again.")
	AllocationGone = row("Allocation Gone", isEither, "The allocation is not in the pool any more.",
		"Run terraform plan again: it plans to take another value.")
	AllocationTakenOver = row("Allocation Taken Over", isWarning, "Another has the value by now.",
		"Find out who changed the pool by hand, or which other state had the same allocation.")
	AllocationWithoutAnID = row("Allocation Without An ID", isError,
		"The allocation has no id of its own, by which it could be released. Nothing was imported.",
		"Give it an id that no other allocation has, with kubectl, then import again.")
	AnnotationsTooLarge = row("Annotations Too Large", isError,
		"All annotations together must have at most 262,144 bytes.", "")
	CompareAndSwapConflict = row("Compare-And-Swap Conflict", isError,
		"Another writer changed the {key} after the plan, or with conflict_scope = \"object\" anything in the {kind}.",
		"Run terraform plan again and review the result.")
	ConfigMapAlreadyExists = row("{Object} Already Exists", isError,
		"The {kind} already exists, and the state does not have it.",
		"Import it, set expected_resource_version_wo to take it over, or choose another name. With "+
			"create_before_destroy, use generate_name. If the resource is tainted, run terraform untaint.")
	ConfigMapCreatedTwice = row("{Object} Created Twice", isError,
		"Another resource creates this {kind} in the same run.", "Remove one of the two, or give it another name.")
	ConfigMapDoesNotExistYet = row("{Object} Does Not Exist Yet", isWarning,
		"The {kind} does not exist yet, so the plan could not check it. The apply checks it.",
		"If this run creates the {kind}, let this resource depend on it. Otherwise create it first.")
	ConfigMapHasOtherKeys = row("{Object} Has Other Keys", isEither,
		"The {kind} contains keys with values that this resource did not write. With deletion_policy = \"release\", a "+
			"destroy does not delete them.",
		"Let the owners remove their keys first. To delete the {kind} with these keys, first apply deletion_policy = "+
			"\"delete\" alone. To leave it in place, first apply deletion_policy = \"abandon\".")
	ConfigMapIsBeingDeleted = row("{Object} Is Being Deleted", isError, "The {kind} is being deleted.",
		"Wait until it is deleted, then run terraform plan again.")
	ConfigMapIsImmutable = row("{Object} Is Immutable", isError, "The {kind} is immutable.",
		"Use a {kind} with another name, or delete this one and create it again.")
	ConfigMapMovesBetweenInstances = row("{Object} Moves Between Instances", isError,
		"One instance deletes this {kind}, and another one has it in the same run.",
		"If the resource has a new address, add a moved block. If the state has both, run terraform state rm with the "+
			"address of the instance that the plan destroys. "+deposedFirst)
	ConfigMapNotFound = row("{Object} Not Found", isError, "The {kind} does not exist.",
		"Create the {kind} first, and let this resource depend on it.")
	ConfigMapStillExists = row("{Object} Still Exists", isWarning,
		"The {kind} is being deleted, and its finalizers still hold it.",
		"The controllers of the finalizers remove them. If a controller does not run any more, remove its finalizer "+
			"with kubectl edit.")
	ConfigMapTooLarge = row("{Object} Too Large", isEither, "The {kind} would be too large.",
		"Shorten a value, or use another {kind}.")
	ConfigMapVersionNotKnown = row("{Object} Version Not Known", isError,
		"The state does not have the version of the {kind} yet.", "Run terraform plan again without -refresh=false.")
	ConflictingProviderArguments = row("Conflicting Provider Arguments", isError,
		"Two arguments of the provider must not be set together. Environment variables that begin with KUBE_ count, too.",
		"Remove one of the two.")
	CounterWouldOverflow = row("Counter Would Overflow", isError,
		"Taking the next number would raise the counter out of its range.",
		"Set the key to a free number that is further from the limit, or use another key.")
	ExpectationDoesNotHoldYet = row("Expectation Does Not Hold Yet", isWarning,
		"The expected state has not been reached yet. The apply waits for it.", "")
	ExpectedValueMismatch = row("Expected Value Mismatch", isError,
		"The {key} does not hold what the configuration expects, or it is missing.",
		"To replace the current value, set the expectation to it. To keep it, set your value to it. To wait for "+
			"another run, use wait_for_match.")
	ExpectedValueMissing = row("Expected Value Missing", isError,
		"With conflict_scope = \"key\", an update of a Secret needs the expected value of each key.",
		"Set expected_value_wo, expected_data_wo or expected_resource_version_wo, or conflict_scope = \"object\".")
	FieldDoesNotFit = row("Field Does Not Fit", isError,
		"The object does not have a field as the path says, or the API version lacks the field.",
		"Correct the path or the value as the problem says, then run terraform plan again.")
	DocumentDoesNotFit = row("Document Does Not Fit", isEither,
		"The key does not have a document of the format, or the spelling of the document does not permit the change.",
		"Correct the document, or its format. To replace the whole text, use cas_configmap_entry.")
	FieldNamedTwice = row("Field Named Twice", isError,
		"Two paths name one field, or one names a part of the other.",
		"Leave one of the two out. Instead of a guard for a part of a field that is written, expect that field.")
	InvalidAPIVersion = row("Invalid API Version", isError,
		"api_version must be VERSION or GROUP/VERSION, as kubectl api-versions lists them.", "")
	InvalidAllocation = row("Invalid Allocation", isError,
		"The range of an allocation is wrong, or an update would change its sort.",
		"Correct the range as the message says.")
	InvalidAnnotationKey = row("Invalid Annotation Key", isError,
		"The key of an annotation must be an optional prefix and a slash, then at most 63 characters.", "")
	InvalidAttributeCombination = row("Invalid Attribute Combination", isError,
		"Attributes exclude or need each other, such as value and value_base64, or wait_for_match and conflict_scope = "+
			"\"key\".",
		"")
	InvalidBase64 = row("Invalid Base64", isError,
		"The value must be standard base64 with padding, without line breaks.", "Use base64encode or filebase64.")
	InvalidConfigMapKey = row("Invalid {Object} Key", isError,
		"A key must have at most 253 letters, digits, hyphens, underscores and dots.", "")
	InvalidConfigMapName = row("Invalid {Object} Name", isError,
		"The name must be an RFC 1123 subdomain: lower case letters, digits, hyphens and dots.", "")
	InvalidEnvironmentVariable = row("Invalid Environment Variable", isError,
		"A variable that begins with KUBE_ or CAS_ has a value that the provider does not accept.", "")
	InvalidFieldManager = row("Invalid Field Manager", isError,
		"field_manager must be 1 to 128 printable characters.",
		"")
	InvalidFieldPath = row("Invalid Field Path", isError,
		"The path of a field has a name that needs quotes, an index, or a field that cannot be written here.",
		"Correct the path as the message says.")
	InvalidFormat     = row("Invalid Format", isError, "The format of a document must be \"yaml\" or \"json\".", "")
	InvalidFieldValue = row("Invalid Field Value", isError,
		"The value has a null inside, or an element of a list does not hold what selects it.",
		"Leave a member out instead of null.")
	InvalidImportID = row("Invalid Import ID", isError,
		"The id is namespace/name for a whole object, and namespace/name/key for an entry or a counter. For an allocation "+
			"it is namespace/name/key/value, and for several keys namespace/name:key1,key2. For fields it is "+
			"api_version/kind/namespace/name/path1,path2.", "Correct the id.")
	InvalidImportIdentity = row("Invalid Import Identity", isError,
		"The identity of an import block does not name the resource.", "Give the attributes that the import id has.")
	InvalidKind = row("Invalid Kind", isError,
		"kind must be the name of a kind, as kubectl api-resources lists them.",
		"")
	InvalidKubeconfig = row("Invalid Kubeconfig", isError,
		"A kubeconfig cannot be read, has no current context, or does not have a context, cluster or user.",
		"Choose one of those that the message lists.")
	InvalidLabelKey = row("Invalid Label Key", isError,
		"The key of a label must be an optional prefix and a slash, then at most 63 characters.", "")
	InvalidLabelValue = row("Invalid Label Value", isError,
		"The value of a label must have at most 63 letters, digits, hyphens, underscores and dots.", "")
	InvalidNamePrefix = row("Invalid Name Prefix", isError,
		"generate_name must be the beginning of an RFC 1123 subdomain: lower case letters, digits, hyphens and dots.", "")
	InvalidNamespace = row("Invalid Namespace", isError,
		"The namespace must be an RFC 1123 label: lower case letters, digits and hyphens.", "")
	InvalidNumber = row("Invalid Number", isError,
		"The number must be whole, or is too large: step = 1.5 and qps = 1e400 are such numbers.", "")
	InvalidObjectName = row("Invalid Object Name", isError,
		"The name of an object must not be empty, and must not contain a slash or a percent sign.", "")
	InvalidProviderArgument = row("Invalid Provider Argument", isError,
		"An argument of the provider, or its environment variable, is malformed or needs another argument.",
		"Correct the argument as the message says.")
	InvalidResourceVersion = row("Invalid Resource Version", isError,
		"The value must be a version as in metadata.resourceVersion, and neither empty nor 0.", "")
	InvalidSelector = row("Invalid Selector", isError,
		"A label selector has the form app=shop,tier!=test or tier in (web,db), and a field selector the form "+
			"metadata.name!=kube-root-ca.crt.",
		"")
	InvalidTimeout = row("Invalid Timeout", isError,
		"The value must be a duration above zero, such as 30s or 2m.",
		"")
	KeyAlreadyExists = row("{Key} Already Exists", isError,
		"The {key} exists with another value, and the state does not have it.",
		"To replace its value, set the expectation to it, or set expected_resource_version_wo to the version of the "+
			"object. To keep its value, set your value to it, then import the {key}.")
	KeyAlreadyHoldsTheValue = row("{Key} Already Holds The Value", isError,
		"The {key} already holds the value to write, and the state does not have it.",
		"If the resource is tainted, run terraform untaint. Otherwise import it, or set adopt_existing = true. For a "+
			"Secret, only adopt_existing helps.")
	KeyExistedBeforeTerraform = row("{Key} Existed Before Terraform", isWarning,
		"With deletion_policy = \"delete\", the plan deletes a {key} that existed before this resource wrote it.",
		"To put back what it held first, apply deletion_policy = \"restore\" before the destroy. To leave it, apply "+
			"\"release\".")
	KeyInBothMaps = row("Key In Both Maps", isError,
		"A key must not be in data and in binary_data, nor in both maps of expectations.", "Remove it from one of the two.")
	KeyAppliedByAnother = row("{Key} Applied By Another Manager", isWarning,
		"Another manager applies the {key} server-side. Its next apply will conflict with this write, or undo it.",
		"Leave the {key} out of the manifests of that manager, or let the manager ignore differences of the {key}.")
	KeyDoesNotExistYet = row("Key Does Not Exist Yet", isWarning,
		"The key with the document does not exist. The write creates the key.",
		"If the key should exist already, correct the attribute key.")
	KeyMovesBetweenInstances = row("{Key} Moves Between Instances", isError,
		"One instance removes the {key} and another one has it in the same run, in no fixed order.",
		"To give the resource another address, use a moved block, and for_each over the names instead of count. "+
			""+deposedFirst)
	KeyNotFound = row("{Key} Not Found", isError,
		"An import names a {key} that does not exist. Nothing was imported.",
		"Correct the import, or leave out what does not exist yet: the next apply writes it.")
	KeyStaysInPlace = row("{Key} Stays In Place", isWarning,
		"A removal leaves the {key} as it is: it existed before, its first value is not known, somebody else changed "+
			"it, or the configuration of a whole object omits data.",
		"To remove it, apply deletion_policy = \"delete\" before the destroy, or use kubectl afterwards as the message "+
			"shows.")
	KeyWrittenTwice = row("{Key} Written Twice", isError,
		"Another resource has the {key} in the same configuration. A cas_configmap with data has all keys, as does a "+
			"cas_secret with data_wo.",
		"Leave it to one of the two. If one replaces the other, delete the old block and add a moved block. To leave the "+
			"keys of a ConfigMap or a Secret to others, omit the map.")
	KindNotServed = row("Kind Not Served", isEither, "The API server serves no such kind in this API version.",
		"If this run makes the CustomResourceDefinition, let this resource depend on it. Otherwise correct api_version "+
			"and kind.")
	MissingKeys = row("Missing Keys", isError,
		"The resource or the action must have at least one key or field.",
		"")
	MissingKubernetesConfiguration = row("Missing Kubernetes Configuration", isError,
		"The configuration does not say which cluster to use. KUBECONFIG and ~/.kube/config are not read.",
		"Set config_path (KUBE_CONFIG_PATH), or host with credentials.")
	MissingValue = row("Missing Value", isError,
		"A value must not be null or empty. A configuration that Terraform generates for an import lacks the "+
			"write-only values of Secrets.",
		"Set the value. To remove a key, leave it out.")
	NamespaceDoesNotExistYet = row("Namespace Does Not Exist Yet", isWarning,
		"The namespace does not exist yet, so the plan could not check the {kind}. The apply checks it.",
		"If this run creates the namespace, let this resource depend on it. Otherwise create it first.")
	NamespaceNotFound = row("Namespace Not Found", isError, "The namespace does not exist.",
		"Create the namespace first, and let this resource depend on it.")
	NotACounter = row("Not A Counter", isError,
		"The key does not hold a whole number in decimal, without spaces, a newline, a plus sign or leading zeros.",
		"To keep what it holds, use another key. If it was a counter, set it to the next free number, such as 42, "+
			"without spaces or leading zeros.")
	NotAPool = row("Not A Pool", isError,
		"The key holds something else than a JSON object of allocations, or a member of it is no JSON object or is "+
			"there twice.",
		mendPool+"use another key.")
	NotPermitted = row("Not Permitted", isError,
		"You do not have permission for a request that the operation needs.",
		"Grant the verbs that the message names.")
	NotPermittedToWait = row("Not Permitted To Wait", isError,
		"wait_for_match and wait_for_free need the verb watch.",
		"Grant get, patch and watch on the resource that the message names.")
	NothingToImport = row("Nothing To Import", isError,
		"The {kind} has no keys to import, or the pool has no allocation of the value.",
		"Correct or remove the import: the next apply writes the keys, or takes a value.")
	NothingToTakeYet = row("Nothing To Take Yet", isWarning,
		"Nothing can be taken yet. The apply waits for something to be free.", "")
	NumberChangedByAdmission = row("Number Changed By Admission", isError,
		"Admission changed the key while a number was taken, so another resource may get the same number. It is not used.",
		"Exclude the key from the admission policy, set it to a free number, then apply again.")
	OperationCanceled = row("Operation Canceled", isError, "The operation was canceled.", "")
	OperationTimedOut = row("Operation Timed Out", isError,
		"The API server or an exec plugin did not answer in time, or other writers changed the object before each attempt.",
		"Run terraform again, or raise the timeout that the message names.")
	PoolIsFull = row("Pool Is Full", isEither, "Everything in the range is taken.",
		"Widen the range, release what is not needed, or set wait_for_free.")
	ProviderNotConfigured = row("Provider Not Configured", isError,
		"The configuration of the provider is not known yet, such as the address of a cluster that the same run creates.",
		"Give the data source depends_on, or apply in two steps.")
	ReplacementMayFail = row("Replacement May Fail", isWarning,
		"The new namespace, name or {key} is known only at apply. If it is the same, the create fails, because the "+
			"removal comes first.",
		"Make it known at plan, or change the value instead of replacing the resource.")
	ReplacementWouldFail = row("Replacement Would Fail", isError,
		"A replacement removes the {key} or the {kind} first, and then its create would fail.",
		"Change the value instead of replacing the resource. If the resource is tainted, run terraform untaint.")
	RequestRefused = row("Request Refused", isError,
		"The API server or an admission policy refused the request. For hidden values and Secrets, the message has the "+
			"status and the name of the policy only.",
		"Correct what the API server names, then run terraform plan again.")
	StateCannotBeMoved = row("State Cannot Be Moved", isError,
		"A moved block converts some resources of hashicorp/kubernetes, and no resources of this provider. The state "+
			"was not changed.",
		"Replace the moved block by a removed block with destroy = false, and import the new resource.")
	UnexpectedError = row("Unexpected Error", isError,
		"An operation failed with an error that the provider does not expect.",
		Report)
	UnmanagedKeysWillChange = row("Unmanaged {Key}s Will Change", isWarning,
		"The apply changes values that the resource did not manage so far, and that the plan does not show.",
		"Review these changes before you apply: the plan does not show them.")
	UnreadablePrivateState = row("Unreadable Private State", isError,
		"The private state of the provider was edited or damaged, or another version of the provider wrote it.",
		"Remove the resource with terraform state rm, and import it again.")
	ValueChangedSinceLastApply = row("Value Changed Since Last Apply", isEither,
		"Somebody else changed a value after the last apply, and the operation would overwrite or remove it.",
		"To keep the value, set your value to it. To overwrite or remove it, set on_drift = \"overwrite\" for one apply.")
	ValueIsTaken = row("Value Is Taken", isEither, "The preferred value is taken.",
		"Prefer another value, or omit prefer to take the lowest free one.")
	ValueNotStoredAsSent = row("Value Not Stored As Sent", isWarning,
		"The API server did not store the value as it was sent.",
		"A policy or a webhook changed the value, or a field is read-only, unknown or has a default. Change the "+
			"policy, correct the path, or set the stored value.")
	ValueOutsideTheRange = row("Value Outside The Range", isEither, "The preferred value is not in the range.",
		"Prefer a value of the range, in the form in which the pool holds it, or omit prefer.")
	ValueTooLarge      = row("Value Too Large", isError, "One value must have at most 1,048,576 bytes.", "")
	ValueWillBePutBack = row("Value Will Be Put Back", isWarning,
		"With deletion_policy = \"restore\", the apply puts back what the keys held before this resource wrote them.",
		"To leave what is there, apply deletion_policy = \"abandon\" before the destroy.")
	ValuesTooLarge = row("Values Too Large", isError,
		"The values that one resource or action gives must have at most 1,048,576 bytes together.", "")
	WaitEndedWithoutAMatch = row("Wait Ended Without A Match", isError,
		"The expected state was not reached within wait_for_match.",
		"Find out why the other writer is late. Then run terraform apply again, or raise wait_for_match.")
	WaitEndedWithoutAValue = row("Wait Ended Without A Value", isError,
		"Nothing could be taken within wait_for_free.",
		"Find out which claimants still use what they have, and release the rest. Then run terraform apply again, or "+
			"raise wait_for_free.")
	WaitFailed = row("Wait Failed", isError,
		"The watch of the object ended with an error.",
		"Remove the cause, then run terraform apply again.")
	WriteOutcomeUnknown = row("Write Outcome Unknown", isError,
		"The write was sent, but its outcome is unknown. The {kind} may have changed, or may change yet.",
		"Run terraform plan again: it shows what is left to do.")
	WrongScope = row("Wrong Scope", isError,
		"namespace is set for a kind that has none, or missing for a kind that has one.",
		"Set or remove namespace.")
)
