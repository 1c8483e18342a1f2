package diagnose

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// ErrorTitle is the summary of an error, and WarningTitle of a warning. Every diagnostic has one of these titles, so the
// troubleshooting guide can list all.
type (
	ErrorTitle   string
	WarningTitle string
)

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
const (
	TitleAPIServerUnreachable           = ErrorTitle("API Server Unreachable")
	TitleAllocationChangedByAdmission   = ErrorTitle("Allocation Changed By Admission")
	TitleAllocationGone                 = ErrorTitle("Allocation Gone")
	TitleAllocationWithoutAnID          = ErrorTitle("Allocation Without An ID")
	TitleAnnotationsTooLarge            = ErrorTitle("Annotations Too Large")
	TitleCompareAndSwapConflict         = ErrorTitle("Compare-And-Swap Conflict")
	TitleConfigMapAlreadyExists         = ErrorTitle("ConfigMap Already Exists")
	TitleConfigMapCreatedTwice          = ErrorTitle("ConfigMap Created Twice")
	TitleConfigMapHasOtherKeys          = ErrorTitle("ConfigMap Has Other Keys")
	TitleConfigMapIsBeingDeleted        = ErrorTitle("ConfigMap Is Being Deleted")
	TitleConfigMapIsImmutable           = ErrorTitle("ConfigMap Is Immutable")
	TitleConfigMapMovesBetweenInstances = ErrorTitle("ConfigMap Moves Between Instances")
	TitleConfigMapNotFound              = ErrorTitle("ConfigMap Not Found")
	TitleConfigMapTooLarge              = ErrorTitle("ConfigMap Too Large")
	TitleConfigMapVersionNotKnown       = ErrorTitle("ConfigMap Version Not Known")
	TitleConflictingProviderArguments   = ErrorTitle("Conflicting Provider Arguments")
	TitleCounterWouldOverflow           = ErrorTitle("Counter Would Overflow")
	TitleDataUndoesAnotherResource      = ErrorTitle("Data Undoes Another Resource")
	TitleExpectedValueMissing           = ErrorTitle("Expected Value Missing")
	TitleExpectedValueMismatch          = ErrorTitle("Expected Value Mismatch")
	TitleFieldDoesNotFit                = ErrorTitle("Field Does Not Fit")
	TitleFieldNamedTwice                = ErrorTitle("Field Named Twice")
	TitleInvalidAnnotationKey           = ErrorTitle("Invalid Annotation Key")
	TitleInvalidAttributeCombination    = ErrorTitle("Invalid Attribute Combination")
	TitleInvalidAllocation              = ErrorTitle("Invalid Allocation")
	TitleInvalidAPIVersion              = ErrorTitle("Invalid API Version")
	TitleInvalidBase64                  = ErrorTitle("Invalid Base64")
	TitleInvalidConfigMapKey            = ErrorTitle("Invalid ConfigMap Key")
	TitleInvalidConfigMapName           = ErrorTitle("Invalid ConfigMap Name")
	TitleInvalidEnvironmentVariable     = ErrorTitle("Invalid Environment Variable")
	TitleInvalidFieldManager            = ErrorTitle("Invalid Field Manager")
	TitleInvalidFieldPath               = ErrorTitle("Invalid Field Path")
	TitleInvalidFieldValue              = ErrorTitle("Invalid Field Value")
	TitleInvalidImportID                = ErrorTitle("Invalid Import ID")
	TitleInvalidImportIdentity          = ErrorTitle("Invalid Import Identity")
	TitleInvalidKind                    = ErrorTitle("Invalid Kind")
	TitleInvalidKubeconfig              = ErrorTitle("Invalid Kubeconfig")
	TitleInvalidLabelKey                = ErrorTitle("Invalid Label Key")
	TitleInvalidLabelValue              = ErrorTitle("Invalid Label Value")
	TitleInvalidNamePrefix              = ErrorTitle("Invalid Name Prefix")
	TitleInvalidNamespace               = ErrorTitle("Invalid Namespace")
	TitleInvalidNumber                  = ErrorTitle("Invalid Number")
	TitleInvalidObjectName              = ErrorTitle("Invalid Object Name")
	TitleInvalidProviderArgument        = ErrorTitle("Invalid Provider Argument")
	TitleInvalidResourceVersion         = ErrorTitle("Invalid Resource Version")
	TitleInvalidSelector                = ErrorTitle("Invalid Selector")
	TitleInvalidTimeout                 = ErrorTitle("Invalid Timeout")
	TitleKeyAlreadyExists               = ErrorTitle("Key Already Exists")
	TitleKeyAlreadyHoldsTheValue        = ErrorTitle("Key Already Holds The Value")
	TitleKeyInBothMaps                  = ErrorTitle("Key In Both Maps")
	TitleKeyInTheOtherMap               = ErrorTitle("Key In The Other Map")
	TitleKeyMovesBetweenInstances       = ErrorTitle("Key Moves Between Instances")
	TitleKeyNotFound                    = ErrorTitle("Key Not Found")
	TitleKeyWrittenTwice                = ErrorTitle("Key Written Twice")
	TitleKindNotServed                  = ErrorTitle("Kind Not Served")
	TitleMissingKeys                    = ErrorTitle("Missing Keys")
	TitleMissingKubernetesConfiguration = ErrorTitle("Missing Kubernetes Configuration")
	TitleMissingValue                   = ErrorTitle("Missing Value")
	TitleNamespaceNotFound              = ErrorTitle("Namespace Not Found")
	TitleNotACounter                    = ErrorTitle("Not A Counter")
	TitleNotAPool                       = ErrorTitle("Not A Pool")
	TitleNotPermitted                   = ErrorTitle("Not Permitted")
	TitleNotPermittedToWait             = ErrorTitle("Not Permitted To Wait")
	TitleNothingToImport                = ErrorTitle("Nothing To Import")
	TitleNumberChangedByAdmission       = ErrorTitle("Number Changed By Admission")
	TitleOperationCanceled              = ErrorTitle("Operation Canceled")
	TitleOperationTimedOut              = ErrorTitle("Operation Timed Out")
	TitlePoolIsFull                     = ErrorTitle("Pool Is Full")
	TitleProviderNotConfigured          = ErrorTitle("Provider Not Configured")
	TitleReplacementWouldFail           = ErrorTitle("Replacement Would Fail")
	TitleRequestRefused                 = ErrorTitle("Request Refused")
	TitleStateCannotBeMoved             = ErrorTitle("State Cannot Be Moved")
	TitleUnexpectedError                = ErrorTitle("Unexpected Error")
	TitleUnreadablePrivateState         = ErrorTitle("Unreadable Private State")
	TitleValueChangedSinceLastApply     = ErrorTitle("Value Changed Since Last Apply")
	TitleValueIsTaken                   = ErrorTitle("Value Is Taken")
	TitleValueOutsideTheRange           = ErrorTitle("Value Outside The Range")
	TitleValueTooLarge                  = ErrorTitle("Value Too Large")
	TitleValuesTooLarge                 = ErrorTitle("Values Too Large")
	TitleWaitEndedWithoutAMatch         = ErrorTitle("Wait Ended Without A Match")
	TitleWaitEndedWithoutAValue         = ErrorTitle("Wait Ended Without A Value")
	TitleWaitFailed                     = ErrorTitle("Wait Failed")
	TitleWriteOutcomeUnknown            = ErrorTitle("Write Outcome Unknown")
	TitleWrongScope                     = ErrorTitle("Wrong Scope")
)

// All warnings.
const (
	WarningAllocationGone              = WarningTitle("Allocation Gone")
	WarningAllocationTakenOver         = WarningTitle("Allocation Taken Over")
	WarningConfigMapChangedByAdmission = WarningTitle("ConfigMap Changed By Admission")
	WarningConfigMapDoesNotExistYet    = WarningTitle("ConfigMap Does Not Exist Yet")
	WarningConfigMapHasOtherKeys       = WarningTitle("ConfigMap Has Other Keys")
	WarningConfigMapStillExists        = WarningTitle("ConfigMap Still Exists")
	WarningConfigMapTooLarge           = WarningTitle("ConfigMap Too Large")
	WarningDataUndoesAnotherResource   = WarningTitle("Data Undoes Another Resource")
	WarningExpectationDoesNotHoldYet   = WarningTitle("Expectation Does Not Hold Yet")
	WarningKeyExistedBeforeTerraform   = WarningTitle("Key Existed Before Terraform")
	WarningKeyStaysInPlace             = WarningTitle("Key Stays In Place")
	WarningKindNotServed               = WarningTitle("Kind Not Served")
	WarningNamespaceDoesNotExistYet    = WarningTitle("Namespace Does Not Exist Yet")
	WarningNoLongerManaged             = WarningTitle("No Longer Managed")
	WarningNothingToTakeYet            = WarningTitle("Nothing To Take Yet")
	WarningPoolIsFull                  = WarningTitle("Pool Is Full")
	WarningReplacementMayFail          = WarningTitle("Replacement May Fail")
	WarningUnmanagedKeysWillChange     = WarningTitle("Unmanaged Keys Will Change")
	WarningValueNotStoredAsSent        = WarningTitle("Value Not Stored As Sent")
	WarningValueIsTaken                = WarningTitle("Value Is Taken")
	WarningValueOutsideTheRange        = WarningTitle("Value Outside The Range")
	WarningValueChangedSinceLastApply  = WarningTitle("Value Changed Since Last Apply")
	WarningValueWillBePutBack          = WarningTitle("Value Will Be Put Back")
)
