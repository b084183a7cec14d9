package house

// SigningKeyReplaced says that another key signs for the record from here on: the key before has
// named it (docs/record.md). A machine that has an older key signs nothing.
type SigningKeyReplaced struct {
	// Key is the line that verifies what the new key signs.
	Key string `json:"key"`
	// Before is the line of the key before.
	Before string `json:"before"`
}

func (SigningKeyReplaced) ownKind() string { return "signing-key-replaced" }

func (e SigningKeyReplaced) redacted(func(string) string) OwnEvent { return e }

// ReplaceSigningKey has another key sign for the record.
type ReplaceSigningKey struct{}

// Replacing returns the transaction which says that another key signs from here on.
func (w *Whereabouts) Replacing(nowMs int64, e SigningKeyReplaced) (*Transaction, error) {
	if w.Moved != nil {
		return nil, w.Moved.Left()
	}
	return w.next(nowMs, ReplaceSigningKey{}, e)
}

// SigningKeyIn returns the key that a transaction of the record says to sign from there on, empty
// if it says nothing of it.
func SigningKeyIn(tx *StoredTransaction) (string, error) {
	replaced, _, err := ownIn[SigningKeyReplaced](tx.Parts)
	return replaced.Key, err
}
