package cas

// Kind is the kind of an object: ConfigMap, which is the zero value, or Secret.
type Kind uint8

// The kinds.
const (
	ConfigMap Kind = iota
	Secret
)

func (k Kind) String() string { return [...]string{"ConfigMap", "Secret"}[k] }

// Resource is the name of the kind in URLs, in roles and in the API server's answers.
func (k Kind) Resource() string { return [...]string{"configmaps", "secrets"}[k] }
