package resource

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
)

// Memory has the facts about one resource instance that are not in its state. Private state keeps them as one JSON
// document: each call of Terraform begins with [Recall], and ends with [Memory.Keep]. An unchanged memory keeps its
// bytes, since Terraform takes other bytes for a change. The bytes are few, since Terraform writes the whole state
// after each resource.
type Memory struct {
	// Form is the version of the stored form. Recall refuses any other form.
	Form int `json:"form"`
	// Instance is a random token. It distinguishes the instance from others of the same run that want the same key or
	// object. A creation gets its token when it is planned, and another one when it is applied.
	Instance string `json:"instance,omitempty"`
	decide.Memory
}

const (
	memoryForm = 1
	memoryPart = "memory" // the key of private state
)

// Private is the private state of a resource.
type Private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// Recall returns the memory of a resource of the kind: an empty one if private state is empty.
func Recall(ctx context.Context, from Private, kind eval.Kind) (*Memory, diag.Diagnostics) {
	raw, diags := from.GetKey(ctx, memoryPart)
	m := new(Memory)
	if len(raw) == 0 {
		m.Form = memoryForm
	} else if err := json.Unmarshal(raw, m); err != nil || m.Form != memoryForm {
		m.Form = 0
		diags.Append(message.UnreadablePrivateState.With(message.Detail(
			"The provider cannot read the private state of this resource: another version of the provider wrote it, or it is "+
				"damaged.", nil, "Run terraform state rm with the address of this resource, then import the resource again.")))
	}
	if m.Kind = kind; kind == eval.Secret && m.Tags.Key == nil {
		m.Tags.Key = []byte(rand.Text())
	}
	return m, diags
}

// Keep stores the memory. An empty memory is removed, and a memory that could not be read stays as it is.
func (m *Memory) Keep(ctx context.Context, to Private) diag.Diagnostics {
	if m.Form != memoryForm {
		return nil
	}
	if m.Baseline != nil {
		m.NewToken()
	}
	kept := *m
	isTag := func(digest string) bool { return digest != eval.Value{}.Digest() }
	if !slices.ContainsFunc(slices.AppendSeq(slices.Collect(maps.Values(m.Baseline)), maps.Values(m.Tags.Found)), isTag) {
		kept.Tags.Key = nil
	}
	if reflect.DeepEqual(kept, Memory{Form: m.Form, Memory: decide.Memory{Kind: m.Kind}}) {
		return to.SetKey(ctx, memoryPart, nil)
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		return diag.Diagnostics{message.UnexpectedError.With(message.Detail("The private state could not be encoded.",
			[]message.Fact{{Name: "Cause", Value: err.Error()}}, message.Report))}
	}
	return to.SetKey(ctx, memoryPart, raw)
}

// Token distinguishes the resource instance from others, if it has a token yet.
func (m *Memory) Token() session.Token { return session.Token(m.Instance) }

// NewToken returns the token of the instance, a new one if the instance has none.
func (m *Memory) NewToken() session.Token {
	if m.Instance == "" {
		m.Instance = rand.Text()[:session.TokenLength]
	}
	return m.Token()
}

// Imports records the keys that an import names, or none for all, for the read that follows.
func (m *Memory) Imports(keys ...string) { m.Import = append([]string{}, keys...) }
