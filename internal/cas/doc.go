// Package cas changes Kubernetes objects on condition: it writes keys of ConfigMaps and Secrets, and fields of
// objects of any kind, only if they contain what the caller expects.
//
// # Concepts
//
//   - A version is the uid and the resourceVersion of an object.
//   - A transaction (eval.Txn) names keys of one object, with what each must contain and what to write. All is applied,
//     or nothing.
//   - A verdict is how a call ended: applied, conflict, rejected or unknown. eval.VerdictOf returns it.
//   - A batch is transactions of one process that share a request.
//   - The base of a write is the version that it was evaluated on. The request is conditional on the base, so that
//     the API server checks it in the transaction that writes.
//   - The chain of an object is the chain of versions that only this process made. Transactions of one process that
//     were planned on one version do not conflict with each other.
//
// # Example
//
//	engine, err := cas.New(config, nil)
//	result, err := engine.Commit(ctx, &eval.Txn{
//		Ref:          eval.Ref{Kind: eval.ConfigMap, Namespace: "default", Name: "testmap"},
//		Keys:         []eval.KeySwap{{Key: "foo", Expect: eval.Text("1"), New: eval.Text("2")}},
//		FieldManager: "me",
//	})
//	switch eval.VerdictOf(err) {
//	case eval.Applied: // foo was "1", and is "2"
//	case eval.Conflict: // a *eval.ConflictError has each key that did not hold; nothing was written
//	case eval.Rejected: // nothing was written, for another reason
//	case eval.Unknown: // the response was lost, and nothing shows whether the write was applied
//	}
//
// A field of any kind is named by the key that eval.FieldKey makes of its path, and the Txn names the API version:
//
//	kind := eval.KindOf("apps", "Deployment")
//	key, err := eval.FieldKey(kind, "spec.template.spec.containers[name=web].image")
//
// A value within a YAML or JSON text is named by the key that eval.DocumentKey makes of the text's key and of a path in
// the document. A request has one new text for all transactions of its batch, and every byte outside the changes stays.
//
// # Costs
//
// A transaction alone costs a read and a patch. Transactions of one object that arrive while a request is under way
// share the next one. Reads that only inform use what was read in the last second. An object is dropped from memory a
// second after its last use.
//
// # A lost response
//
// A response is lost when the connection breaks after the request was sent, the request times out, or the answer is
// 408, 429 or 5xx, except for a 429 of API priority and fairness. The engine reads the object and compares it with the
// base; eval.LostWrite has the rules. A write of unknown outcome blocks its object for five seconds at most while
// reads succeed.
//
// # Exceptions
//
// A verdict is true, with these exceptions:
//
//   - Two processes with the same field manager may both report applied if they write the same values in the same
//     second and one of them lost its response. Give each pipeline a field manager of its own.
//   - A writer may leave no trace in managedFields: the API server does not update those of a custom object that no
//     longer fits its definition.
//   - A proxy may send a request twice. The second response is then a conflict, though the first request was applied.
//   - A creation whose response was lost is sent again while the object is missing, so that an object that was
//     deleted in between is created a second time.
//
// A write whose verdict is unknown may still be applied later. A transaction that names no version does not notice a
// value that was changed and changed back. Processes that compete for one object have no order.
package cas
