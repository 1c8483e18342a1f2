package cas

// event is one object in two API groups.
var event = sample{"v1", "Event", "events", `{"metadata":{"name":"web"},
	"involvedObject":{"kind":"Pod","namespace":"NAME","name":"web"},"message":"1","type":"Normal"}`}

// inOtherGroup sets a field of an Event that is not there, through the group that its fixture does not use.
func (f *fieldsFixture) inOtherGroup(path, to string) *Txn {
	f.Helper()
	ref := f.ref
	ref.Kind = KindOf("events.k8s.io", "Event")
	key, err := FieldKey(ref.Kind, path)
	if err != nil {
		f.Fatal(err)
	}
	return &Txn{Ref: ref, APIVersion: "events.k8s.io/v1", FieldManager: "engine", Keys: []KeySwap{{Key: key, New: jsonOf(f, to)}}}
}
