package table

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode"

	"trey/internal/strict"
)

// Actions and events are written as JSON objects beside a kind, which is the
// type's name in lower case with hyphens, such as "bets-closed".

var (
	actionTypes = kinds(
		OpenTable{}, CloseTable{}, OpenBets{}, Bet{}, Withdraw{}, Found{}, CloseBets{}, Deal{},
		FinishDeal{}, Examine{}, Raise{}, Fold{}, LayUp{}, Show{}, KeepDown{}, Reveal{}, Settle{}, Report{},
		Answer{}, Choose{}, AskWithdrawal{}, Expire{}, RestrictPlayer{}, RestrictAreas{},
		SuspendProgressive{}, RestoreProgressive{},
	)
	eventTypes = kinds(
		Announced{}, TableOpened{}, TableClosed{}, BetsOpened{}, BetPlaced{}, BetsReturned{},
		StakeFound{}, MinimumAdvised{}, BetsClosed{}, CardsDealt{}, CardsDrawn{}, DealFinished{},
		HandExamined{}, HandRaised{}, HandFolded{}, ForfeitsCollected{}, HandShown{}, HandKeptDown{}, DealerShown{}, Settled{},
		BoxSettled{}, SettlementUndone{},
		Reported{}, CardsExposed{}, CardsMoved{}, RoundVoided{}, HandInvalidated{},
		QuestionAsked{}, QuestionAnswered{}, OffersMade{}, OfferAnswered{}, PlayerWarned{},
		PlayerRestricted{}, AreasRestricted{}, ProgressiveFailed{}, ProgressiveSuspended{},
		ProgressiveRestored{}, DecisionRestored{}, PaymentCorrected{},
	)
)

func kinds(values ...any) map[string]reflect.Type {
	m := make(map[string]reflect.Type, len(values))
	for _, v := range values {
		m[kindOf(v)] = reflect.TypeOf(v)
	}
	return m
}

// kindOf turns a type's name into its kind: BetsClosed is "bets-closed".
func kindOf(v any) string {
	t := reflect.TypeOf(v)
	if kind, known := kindNames.Load(t); known {
		return kind.(string)
	}
	kind := kindName(t.Name())
	kindNames.Store(t, kind)
	return kind
}

// kindNames remembers the kind of each type: every command asks for some.
var kindNames sync.Map

func kindName(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) {
			if i > 0 {
				b.WriteByte('-')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ActionKind returns an action's kind, such as "close-bets".
func ActionKind(a Action) string { return kindOf(a) }

// EventKind returns an event's kind, such as "bets-closed".
func EventKind(e Event) string { return kindOf(e) }

// ActionKinds lists the kinds of all actions, in no order.
func ActionKinds() []string { return keys(actionTypes) }

// EventKinds lists the kinds of all events, in no order.
func EventKinds() []string { return keys(eventTypes) }

func keys(m map[string]reflect.Type) []string {
	all := make([]string, 0, len(m))
	for k := range m {
		all = append(all, k)
	}
	return all
}

// DecodeAction reads an action of a kind. Unknown fields are an error.
func DecodeAction(kind string, body []byte) (Action, error) {
	v, err := decodeKind(actionTypes, "action", kind, body)
	if err != nil {
		return nil, err
	}
	return v.(Action), nil
}

// DecodeEvent reads an event of a kind. Unknown fields are an error.
func DecodeEvent(kind string, body []byte) (Event, error) {
	v, err := decodeKind(eventTypes, "event", kind, body)
	if err != nil {
		return nil, err
	}
	return v.(Event), nil
}

func decodeKind(types map[string]reflect.Type, what, kind string, body []byte) (any, error) {
	t, ok := types[kind]
	if !ok {
		return nil, fmt.Errorf("%q is not a kind of %s", kind, what)
	}
	p := reflect.New(t)
	if err := strict.Read(body, p.Interface()); err != nil {
		return nil, fmt.Errorf("%s %s: %w", what, kind, err)
	}
	return p.Elem().Interface(), nil
}
