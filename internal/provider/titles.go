package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// errorTitle is what an error is called, and warningTitle a warning. Diagnostics are made of them alone, so that the troubleshooting guide
// has them all.
type (
	errorTitle   string
	warningTitle string
)

// titled are all titles, with the severities of the diagnostics that are called so.
var titled = map[string][]diag.Severity{}

func newError(text string) errorTitle {
	entitle(text, diag.SeverityError)
	return errorTitle(text)
}

func newWarning(text string) warningTitle {
	entitle(text, diag.SeverityWarning)
	return warningTitle(text)
}

func entitle(text string, severity diag.Severity) {
	if slices.Contains(titled[text], severity) {
		panic("two titles: " + text)
	}
	titled[text] = append(titled[text], severity)
}

func (t errorTitle) with(detail string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(string(t), detail)
}

func (t errorTitle) at(where path.Path, detail string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(where, string(t), detail)
}

func (t warningTitle) with(detail string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(string(t), detail)
}

func (t warningTitle) at(where path.Path, detail string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(where, string(t), detail)
}

var (
	titleAPIServerUnreachable           = newError("API Server Unreachable")
	titleAnnotationsTooLarge            = newError("Annotations Too Large")
	titleCompareAndSwapConflict         = newError("Compare-And-Swap Conflict")
	titleConfigMapAlreadyExists         = newError("ConfigMap Already Exists")
	titleConfigMapIsBeingDeleted        = newError("ConfigMap Is Being Deleted")
	titleConfigMapIsImmutable           = newError("ConfigMap Is Immutable")
	titleConfigMapNotFound              = newError("ConfigMap Not Found")
	titleConfigMapTooLarge              = newError("ConfigMap Too Large")
	titleConfigMapVersionNotKnown       = newError("ConfigMap Version Not Known")
	titleConflictingProviderArguments   = newError("Conflicting Provider Arguments")
	titleCounterWouldOverflow           = newError("Counter Would Overflow")
	titleExpectedValueMismatch          = newError("Expected Value Mismatch")
	titleInvalidAnnotationKey           = newError("Invalid Annotation Key")
	titleInvalidAttributeCombination    = newError("Invalid Attribute Combination")
	titleInvalidBase64                  = newError("Invalid Base64")
	titleInvalidConfigMapKey            = newError("Invalid ConfigMap Key")
	titleInvalidConfigMapName           = newError("Invalid ConfigMap Name")
	titleInvalidEnvironmentVariable     = newError("Invalid Environment Variable")
	titleInvalidFieldManager            = newError("Invalid Field Manager")
	titleInvalidImportID                = newError("Invalid Import ID")
	titleInvalidImportIdentity          = newError("Invalid Import Identity")
	titleInvalidKubeconfig              = newError("Invalid Kubeconfig")
	titleInvalidLabelKey                = newError("Invalid Label Key")
	titleInvalidLabelValue              = newError("Invalid Label Value")
	titleInvalidNamePrefix              = newError("Invalid Name Prefix")
	titleInvalidNamespace               = newError("Invalid Namespace")
	titleInvalidProviderArgument        = newError("Invalid Provider Argument")
	titleInvalidRegularExpression       = newError("Invalid Regular Expression")
	titleInvalidResourceVersion         = newError("Invalid Resource Version")
	titleInvalidTimeout                 = newError("Invalid Timeout")
	titleKeyAlreadyExists               = newError("Key Already Exists")
	titleKeyAlreadyHoldsTheValue        = newError("Key Already Holds The Value")
	titleKeyInBothMaps                  = newError("Key In Both Maps")
	titleKeyMovesBetweenInstances       = newError("Key Moves Between Instances")
	titleKeyNotFound                    = newError("Key Not Found")
	titleMissingKeys                    = newError("Missing Keys")
	titleMissingKubernetesConfiguration = newError("Missing Kubernetes Configuration")
	titleMissingValue                   = newError("Missing Value")
	titleNamespaceNotFound              = newError("Namespace Not Found")
	titleNotACounter                    = newError("Not A Counter")
	titleNotPermitted                   = newError("Not Permitted")
	titleNotPermittedToWait             = newError("Not Permitted To Wait")
	titleNothingKnownToRestore          = newError("Nothing Known To Restore")
	titleNothingToImport                = newError("Nothing To Import")
	titleNumberChangedByAdmission       = newError("Number Changed By Admission")
	titleOperationCanceled              = newError("Operation Canceled")
	titleOperationTimedOut              = newError("Operation Timed Out")
	titlePrivateStateCannotBeWritten    = newError("Private State Cannot Be Written")
	titleProviderNotConfigured          = newError("Provider Not Configured")
	titleReplacementWouldFail           = newError("Replacement Would Fail")
	titleRequestRefused                 = newError("Request Refused")
	titleResourceVersionMismatch        = newError("Resource Version Mismatch")
	titleStateCannotBeMoved             = newError("State Cannot Be Moved")
	titleUnexpectedError                = newError("Unexpected Error")
	titleUnreadablePrivateState         = newError("Unreadable Private State")
	titleValueChangedSinceLastApply     = newError("Value Changed Since Last Apply")
	titleValueConversionError           = newError("Value Conversion Error")
	titleValueTooLarge                  = newError("Value Too Large")
	titleValuesTooLarge                 = newError("Values Too Large")
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
