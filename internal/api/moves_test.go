package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/money"
	"trey/table"
)

var anyIndex = regexp.MustCompile(`"index":[0-9]+`)

// Whatever is listed as a move is accepted, with ?? replaced by cards where the
// table's equipment leaves it to people to name them; and the steps of the round
// are listed at every table.
func TestMovesAreAccepted(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", 1000*money.Major)
	fresh := []string{"2c", "3c", "4c", "5c", "6c", "7c"}
	for _, sight := range []table.Sight{table.Virtual, table.Read, table.Unseen} {
		name := "T-" + sight.String()
		s.install(name, "rws-3cp", func(t *house.Table) { t.Config.Cards = sight })
		// named is a move as a person sends it.
		named := func(kind string, body json.RawMessage) string {
			text := fmt.Sprintf(`{"kind":%q,"body":%s}`, kind, body)
			deals := kind == "deal"
			if sight == table.Virtual || deals != (sight == table.Read) || strings.Contains(text, "drawn-together") || strings.Contains(text, `"card":"Qc"`) {
				return text
			}
			for _, c := range fresh {
				text = strings.Replace(text, "??", c, 1)
			}
			return strings.ReplaceAll(text, `"index":1`, `"index":1,"card":"Kd"`)
		}
		step := func(want string) (found string) {
			t.Helper()
			for _, person := range []string{"ann", "dan", "pat", "sue"} {
				var moves struct {
					Moves []struct {
						Kind string
						Body json.RawMessage
					}
				}
				s.get(person, "/api/v1/tables/"+name+"/moves").into(t, &moves)
				for _, m := range moves.Moves {
					if strings.Contains(string(m.Body), `"incident":"card-misread"`) {
						// The face that the card has is the dealer's to say.
						m.Body = []byte(anyIndex.ReplaceAllString(string(m.Body), `${0},"card":"Qc"`))
					}
					if strings.Contains(string(m.Body), `"incident":"card-exposed"`) && !strings.Contains(string(m.Body), `"index":1`) {
						continue // The others lie beside it.
					}
					command := named(m.Kind, m.Body)
					if m.Kind == want && (person == "dan" || person == "ann") {
						found = command
					}
					if got := s.ask(person, http.MethodPost, "/api/v1/tables/"+name+"/commands?dry_run=true", command); got.StatusCode != http.StatusOK {
						t.Errorf("%s at table %s: %s is listed, and tried out it is %s %s", person, name, command, got.Status, got.text)
					}
				}
			}
			if found == "" {
				t.Fatalf("table %s: %s is not listed", name, want)
			}
			return found
		}
		s.done("dan", name, step("open-bets"))
		s.done("ann", name, `{"kind":"bet","body":{"box":1,"wager":"ante","amount":1000}}`)
		for _, kind := range []string{"close-bets", "deal", "raise", "reveal"} {
			person := "dan"
			if kind == "raise" {
				person = "ann"
			}
			s.done(person, name, step(kind))
		}
		if sight == table.Unseen {
			fresh = []string{"8d", "9d", "Td"}
			s.done("dan", name, step("show"))
		}
		s.done("dan", name, step("settle"))
	}
}
