package diagnose

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// ErrorTitle is what an error is called, and WarningTitle a warning. Diagnostics are made of them alone, so that the troubleshooting guide
// has them all.
type (
	ErrorTitle   string
	WarningTitle string
)

// titled are all titles, with the severities of the diagnostics that are called so.
var titled = map[string][]diag.Severity{}

func newError(text string) ErrorTitle {
	entitle(text, diag.SeverityError)
	return ErrorTitle(text)
}

func newWarning(text string) WarningTitle {
	entitle(text, diag.SeverityWarning)
	return WarningTitle(text)
}

func entitle(text string, severity diag.Severity) {
	if slices.Contains(titled[text], severity) {
		panic("two titles: " + text)
	}
	titled[text] = append(titled[text], severity)
}

// With makes an error of the title.
func (t ErrorTitle) With(detail string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(string(t), detail)
}

// At makes an error of the title about an attribute, or about none where the path is empty.
func (t ErrorTitle) At(where path.Path, detail string) diag.Diagnostic {
	if len(where.Steps()) == 0 {
		return t.With(detail)
	}
	return diag.NewAttributeErrorDiagnostic(where, string(t), detail)
}

// Problem makes an error of the title about what is wrong with an attribute.
func (t ErrorTitle) Problem(at path.Path, problem string) diag.Diagnostic {
	return t.At(at, fmt.Sprintf("Attribute %s: %s.", at, problem))
}

// At makes a warning of the title about an attribute, or about none where the path is empty.
func (t WarningTitle) At(where path.Path, detail string) diag.Diagnostic {
	if len(where.Steps()) == 0 {
		return diag.NewWarningDiagnostic(string(t), detail)
	}
	return diag.NewAttributeWarningDiagnostic(where, string(t), detail)
}

// All errors.
var (
	TitleAPIServerUnreachable           = newError("API Server Unreachable")
	TitleAllocationChangedByAdmission   = newError("Allocation Changed By Admission")
	TitleAllocationGone                 = newError("Allocation Gone")
	TitleAllocationWithoutAnID          = newError("Allocation Without An ID")
	TitleAnnotationsTooLarge            = newError("Annotations Too Large")
	TitleCompareAndSwapConflict         = newError("Compare-And-Swap Conflict")
	TitleConfigMapAlreadyExists         = newError("ConfigMap Already Exists")
	TitleConfigMapCreatedTwice          = newError("ConfigMap Created Twice")
	TitleConfigMapIsBeingDeleted        = newError("ConfigMap Is Being Deleted")
	TitleConfigMapIsImmutable           = newError("ConfigMap Is Immutable")
	TitleConfigMapNotFound              = newError("ConfigMap Not Found")
	TitleConfigMapTooLarge              = newError("ConfigMap Too Large")
	TitleConfigMapVersionNotKnown       = newError("ConfigMap Version Not Known")
	TitleConflictingProviderArguments   = newError("Conflicting Provider Arguments")
	TitleCounterWouldOverflow           = newError("Counter Would Overflow")
	TitleDataUndoesAnotherResource      = newError("Data Undoes Another Resource")
	TitleExpectedValueMissing           = newError("Expected Value Missing")
	TitleExpectedValueMismatch          = newError("Expected Value Mismatch")
	TitleFieldDoesNotFit                = newError("Field Does Not Fit")
	TitleFieldNamedTwice                = newError("Field Named Twice")
	TitleInvalidAnnotationKey           = newError("Invalid Annotation Key")
	TitleInvalidAttributeCombination    = newError("Invalid Attribute Combination")
	TitleInvalidAllocation              = newError("Invalid Allocation")
	TitleInvalidAPIVersion              = newError("Invalid API Version")
	TitleInvalidBase64                  = newError("Invalid Base64")
	TitleInvalidConfigMapKey            = newError("Invalid ConfigMap Key")
	TitleInvalidConfigMapName           = newError("Invalid ConfigMap Name")
	TitleInvalidEnvironmentVariable     = newError("Invalid Environment Variable")
	TitleInvalidFieldManager            = newError("Invalid Field Manager")
	TitleInvalidFieldPath               = newError("Invalid Field Path")
	TitleInvalidFieldValue              = newError("Invalid Field Value")
	TitleInvalidImportID                = newError("Invalid Import ID")
	TitleInvalidImportIdentity          = newError("Invalid Import Identity")
	TitleInvalidKind                    = newError("Invalid Kind")
	TitleInvalidKubeconfig              = newError("Invalid Kubeconfig")
	TitleInvalidLabelKey                = newError("Invalid Label Key")
	TitleInvalidLabelValue              = newError("Invalid Label Value")
	TitleInvalidNamePrefix              = newError("Invalid Name Prefix")
	TitleInvalidNamespace               = newError("Invalid Namespace")
	TitleInvalidObjectName              = newError("Invalid Object Name")
	TitleInvalidProviderArgument        = newError("Invalid Provider Argument")
	TitleInvalidRegularExpression       = newError("Invalid Regular Expression")
	TitleInvalidResourceVersion         = newError("Invalid Resource Version")
	TitleInvalidSelector                = newError("Invalid Selector")
	TitleInvalidTimeout                 = newError("Invalid Timeout")
	TitleKeyAlreadyExists               = newError("Key Already Exists")
	TitleKeyAlreadyHoldsTheValue        = newError("Key Already Holds The Value")
	TitleKeyInBothMaps                  = newError("Key In Both Maps")
	TitleKeyInTheOtherMap               = newError("Key In The Other Map")
	TitleKeyMovesBetweenInstances       = newError("Key Moves Between Instances")
	TitleKeyNotFound                    = newError("Key Not Found")
	TitleKeyWrittenTwice                = newError("Key Written Twice")
	TitleKindNotServed                  = newError("Kind Not Served")
	TitleMissingKeys                    = newError("Missing Keys")
	TitleMissingKubernetesConfiguration = newError("Missing Kubernetes Configuration")
	TitleMissingValue                   = newError("Missing Value")
	TitleNamespaceNotFound              = newError("Namespace Not Found")
	TitleNotACounter                    = newError("Not A Counter")
	TitleNotAPool                       = newError("Not A Pool")
	TitleNotPermitted                   = newError("Not Permitted")
	TitleNotPermittedToWait             = newError("Not Permitted To Wait")
	TitleNothingToImport                = newError("Nothing To Import")
	TitleNumberChangedByAdmission       = newError("Number Changed By Admission")
	TitleOperationCanceled              = newError("Operation Canceled")
	TitleOperationTimedOut              = newError("Operation Timed Out")
	TitlePoolIsFull                     = newError("Pool Is Full")
	TitleProviderNotConfigured          = newError("Provider Not Configured")
	TitleReplacementWouldFail           = newError("Replacement Would Fail")
	TitleRequestRefused                 = newError("Request Refused")
	TitleResourceVersionMismatch        = newError("Resource Version Mismatch")
	TitleStateCannotBeMoved             = newError("State Cannot Be Moved")
	TitleUnexpectedError                = newError("Unexpected Error")
	TitleUnreadablePrivateState         = newError("Unreadable Private State")
	TitleValueChangedSinceLastApply     = newError("Value Changed Since Last Apply")
	TitleValueMayHaveChanged            = newError("Value May Have Changed Since Last Apply")
	TitleValueIsTaken                   = newError("Value Is Taken")
	TitleValueOutsideTheRange           = newError("Value Outside The Range")
	TitleValueTooLarge                  = newError("Value Too Large")
	TitleValuesTooLarge                 = newError("Values Too Large")
	TitleWaitEndedWithoutAMatch         = newError("Wait Ended Without A Match")
	TitleWaitEndedWithoutAValue         = newError("Wait Ended Without A Value")
	TitleWaitFailed                     = newError("Wait Failed")
	TitleWriteOutcomeUnknown            = newError("Write Outcome Unknown")
	TitleWrongScope                     = newError("Wrong Scope")
)

// All warnings.
var (
	WarningAllocationGone              = newWarning("Allocation Gone")
	WarningAllocationTakenOver         = newWarning("Allocation Taken Over")
	WarningConfigMapChangedByAdmission = newWarning("ConfigMap Changed By Admission")
	WarningConfigMapDoesNotExistYet    = newWarning("ConfigMap Does Not Exist Yet")
	WarningConfigMapTooLarge           = newWarning("ConfigMap Too Large")
	WarningDataUndoesAnotherResource   = newWarning("Data Undoes Another Resource")
	WarningExpectationDoesNotHoldYet   = newWarning("Expectation Does Not Hold Yet")
	WarningKeyExistedBeforeTerraform   = newWarning("Key Existed Before Terraform")
	WarningKeyStaysInPlace             = newWarning("Key Stays In Place")
	WarningKindNotServed               = newWarning("Kind Not Served")
	WarningNamespaceDoesNotExistYet    = newWarning("Namespace Does Not Exist Yet")
	WarningNoLongerManaged             = newWarning("No Longer Managed")
	WarningNothingToTakeYet            = newWarning("Nothing To Take Yet")
	WarningPoolIsFull                  = newWarning("Pool Is Full")
	WarningReplacementMayFail          = newWarning("Replacement May Fail")
	WarningUnmanagedKeysWillChange     = newWarning("Unmanaged Keys Will Change")
	WarningValueChangedByAdmission     = newWarning("Value Changed By Admission")
	WarningValueIsTaken                = newWarning("Value Is Taken")
	WarningValueOutsideTheRange        = newWarning("Value Outside The Range")
	WarningValueChangedSinceLastApply  = newWarning("Value Changed Since Last Apply")
	WarningValueMayHaveChanged         = newWarning("Value May Have Changed Since Last Apply")
	WarningValueWillBePutBack          = newWarning("Value Will Be Put Back")
)
