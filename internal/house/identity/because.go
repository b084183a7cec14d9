package identity

import (
	"errors"

	"trey/internal/enum"
)

// because is the reason for which the house changed a user by itself. The reason that a person
// gives is text beside it.
type because uint8

// The reasons. The zero value is none.
const (
	_ because = iota
	// becauseConfigured: the configuration names the user.
	becauseConfigured
	// becauseUnknownName: no user has the name that was given.
	becauseUnknownName
	// becauseWrongPassword: the password is wrong.
	becauseWrongPassword
	// becauseShutOut: the user is shut out.
	becauseShutOut
	// becauseWrongCode: the code of the second factor is wrong.
	becauseWrongCode
	// becauseUnknownPasskey and those after it: the answer of a passkey was refused.
	becauseUnknownPasskey
	becauseOrigin
	becauseChallenge
	becauseUnverified
	becauseInvalid
	// becauseCounter: the counter of a passkey went back.
	becauseCounter
	// becauseNoRole: the identity provider names no role of the user, or several.
	becauseNoRole
	// becauseRecovered: a new factor takes the place of a lost one, by a recovery code.
	becauseRecovered
	numBecause
)

var becauseKeys = enum.New("a reason of the house", numBecause, []string{
	becauseConfigured: "configured", becauseUnknownName: "unknown-name", becauseWrongPassword: "wrong-password",
	becauseShutOut: "shut-out", becauseWrongCode: "wrong-code", becauseUnknownPasskey: "unknown-passkey",
	becauseOrigin: "other-site", becauseChallenge: "other-attempt", becauseUnverified: "unverified-person",
	becauseInvalid: "invalid-answer", becauseCounter: "counter-went-back", becauseRecovered: "recovery-code",
	becauseNoRole: "no-role",
})

// words says a reason of the record.
var words = map[string]string{
	"configured":        "the configuration names the user",
	"unknown-name":      "there is no user of the name that was given",
	"wrong-password":    "the password is wrong",
	"shut-out":          "the user is shut out",
	"wrong-code":        "the code of the second factor is wrong",
	"unknown-passkey":   "the passkey is not registered here, or was removed",
	"other-site":        "the passkey was used on a page of another site",
	"other-attempt":     "the answer of the passkey belongs to another attempt",
	"unverified-person": "the device did not check who uses the passkey",
	"invalid-answer":    "the answer of the passkey is not valid",
	"counter-went-back": "the counter of the passkey went back: it may have been copied",
	"recovery-code":     "in the place of a lost one, by a recovery code",
	"no-role":           "the identity provider gives the user no role here, or several",
}

// Reason returns a reason of the record in words, and a key that it does not know as it is.
func Reason(key string) string {
	if text, known := words[key]; known {
		return text
	}
	return key
}

// becausePasskey returns why an answer of a passkey was refused.
func becausePasskey(err error) because {
	for of, b := range map[error]because{
		ErrPasskeyUnknown: becauseUnknownPasskey, ErrPasskeyOrigin: becauseOrigin, ErrPasskeyChallenge: becauseChallenge,
		ErrPasskeyUnverified: becauseUnverified, ErrPasskeyCounter: becauseCounter,
	} {
		if errors.Is(err, of) {
			return b
		}
	}
	return becauseInvalid
}

// MarshalText writes the key.
func (b because) MarshalText() ([]byte, error) { return becauseKeys.Marshal(b) }

// UnmarshalText reads a key.
func (b *because) UnmarshalText(text []byte) error { return becauseKeys.Unmarshal(b, text) }
