package diagnose

import (
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

func (t ErrorTitle) With(detail string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(string(t), detail)
}

func (t ErrorTitle) At(where path.Path, detail string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(where, string(t), detail)
}

func (t WarningTitle) With(detail string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(string(t), detail)
}

func (t WarningTitle) At(where path.Path, detail string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(where, string(t), detail)
}

var (
	titleAPIServerUnreachable           = newError("API Server Unreachable")
	TitleAnnotationsTooLarge            = newError("Annotations Too Large")
	titleCompareAndSwapConflict         = newError("Compare-And-Swap Conflict")
	titleConfigMapAlreadyExists         = newError("ConfigMap Already Exists")
	titleConfigMapIsBeingDeleted        = newError("ConfigMap Is Being Deleted")
	titleConfigMapIsImmutable           = newError("ConfigMap Is Immutable")
	titleConfigMapNotFound              = newError("ConfigMap Not Found")
	TitleConfigMapTooLarge              = newError("ConfigMap Too Large")
	titleConfigMapVersionNotKnown       = newError("ConfigMap Version Not Known")
	TitleConflictingProviderArguments   = newError("Conflicting Provider Arguments")
	titleCounterWouldOverflow           = newError("Counter Would Overflow")
	titleExpectedValueMismatch          = newError("Expected Value Mismatch")
	TitleInvalidAnnotationKey           = newError("Invalid Annotation Key")
	TitleInvalidAttributeCombination    = newError("Invalid Attribute Combination")
	TitleInvalidBase64                  = newError("Invalid Base64")
	TitleInvalidConfigMapKey            = newError("Invalid ConfigMap Key")
	TitleInvalidConfigMapName           = newError("Invalid ConfigMap Name")
	TitleInvalidEnvironmentVariable     = newError("Invalid Environment Variable")
	TitleInvalidFieldManager            = newError("Invalid Field Manager")
	TitleInvalidImportID                = newError("Invalid Import ID")
	TitleInvalidImportIdentity          = newError("Invalid Import Identity")
	TitleInvalidKubeconfig              = newError("Invalid Kubeconfig")
	TitleInvalidLabelKey                = newError("Invalid Label Key")
	TitleInvalidLabelValue              = newError("Invalid Label Value")
	TitleInvalidNamePrefix              = newError("Invalid Name Prefix")
	TitleInvalidNamespace               = newError("Invalid Namespace")
	TitleInvalidProviderArgument        = newError("Invalid Provider Argument")
	TitleInvalidRegularExpression       = newError("Invalid Regular Expression")
	TitleInvalidResourceVersion         = newError("Invalid Resource Version")
	TitleInvalidTimeout                 = newError("Invalid Timeout")
	titleKeyAlreadyExists               = newError("Key Already Exists")
	titleKeyAlreadyHoldsTheValue        = newError("Key Already Holds The Value")
	TitleKeyInBothMaps                  = newError("Key In Both Maps")
	titleKeyMovesBetweenInstances       = newError("Key Moves Between Instances")
	titleKeyNotFound                    = newError("Key Not Found")
	TitleMissingKeys                    = newError("Missing Keys")
	TitleMissingKubernetesConfiguration = newError("Missing Kubernetes Configuration")
	TitleMissingValue                   = newError("Missing Value")
	titleNamespaceNotFound              = newError("Namespace Not Found")
	titleNotACounter                    = newError("Not A Counter")
	titleNotPermitted                   = newError("Not Permitted")
	titleNotPermittedToWait             = newError("Not Permitted To Wait")
	titleNothingKnownToRestore          = newError("Nothing Known To Restore")
	titleNothingToImport                = newError("Nothing To Import")
	titleNumberChangedByAdmission       = newError("Number Changed By Admission")
	titleOperationCanceled              = newError("Operation Canceled")
	titleOperationTimedOut              = newError("Operation Timed Out")
	TitlePrivateStateCannotBeWritten    = newError("Private State Cannot Be Written")
	TitleProviderNotConfigured          = newError("Provider Not Configured")
	titleReplacementWouldFail           = newError("Replacement Would Fail")
	titleRequestRefused                 = newError("Request Refused")
	titleResourceVersionMismatch        = newError("Resource Version Mismatch")
	TitleStateCannotBeMoved             = newError("State Cannot Be Moved")
	titleUnexpectedError                = newError("Unexpected Error")
	TitleUnreadablePrivateState         = newError("Unreadable Private State")
	titleValueChangedSinceLastApply     = newError("Value Changed Since Last Apply")
	TitleValueConversionError           = newError("Value Conversion Error")
	TitleValueTooLarge                  = newError("Value Too Large")
	TitleValuesTooLarge                 = newError("Values Too Large")
	titleWaitEndedWithoutAMatch         = newError("Wait Ended Without A Match")
	titleWaitFailed                     = newError("Wait Failed")
	titleWriteOutcomeUnknown            = newError("Write Outcome Unknown")
)

var (
	warningConfigMapChangedByAdmission = newWarning("ConfigMap Changed By Admission")
	warningConfigMapDoesNotExistYet    = newWarning("ConfigMap Does Not Exist Yet")
	warningConfigMapTooLarge           = newWarning("ConfigMap Too Large")
	warningExpectationDoesNotHoldYet   = newWarning("Expectation Does Not Hold Yet")
	warningNamespaceDoesNotExistYet    = newWarning("Namespace Does Not Exist Yet")
	warningReplacementMayFail          = newWarning("Replacement May Fail")
	warningUnmanagedKeysWillChange     = newWarning("Unmanaged Keys Will Change")
	warningValueChangedByAdmission     = newWarning("Value Changed By Admission")
	warningValueChangedSinceLastApply  = newWarning("Value Changed Since Last Apply")
)
