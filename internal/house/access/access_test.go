package access_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house/access"
	"trey/internal/record"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// grid is the matrix once more, written down from what each role is for and not
// from the code. An x is a right.
const grid = `
                      guest player dealer pit-supervisor shift-manager cashier surveillance administrator auditor
see-floor               x     x      x          x              x          x         x             x             x
see-table               x     x      x          x              x          x         x             x             x
play                    x     x      .          .              .          .         .             .             .
see-own-account         x     x      .          .              .          .         .             .             .
enter-bets              .     .      x          x              x          .         .             .             .
deal-table              .     .      x          x              x          .         .             .             .
report-irregularity     .     .      x          x              x          .         .             .             .
answer-question         .     .      .          x              x          .         .             .             .
restrict-play           .     .      .          .              x          .         .             .             .
suspend-progressive     .     .      .          x              x          .         .             .             .
open-table              .     .      .          x              x          .         .             .             .
change-rules            .     .      .          .              x          .         .             x             .
release-table           .     .      .          .              x          .         .             .             .
install-table           .     .      .          .              .          .         .             x             .
drain-house             .     .      .          .              x          .         .             x             .
move-at-cage            .     .      .          .              .          x         .             .             .
approve-cage            .     .      .          .              x          x         .             .             .
register-player         .     .      .          .              .          x         .             x             .
exclude-player          .     .      .          x              x          x         .             .             .
propose-fill            .     .      .          x              x          .         .             .             .
approve-fill            .     .      .          .              x          x         .             .             .
propose-adjustment      .     .      .          .              x          x         .             .             .
approve-adjustment      .     .      .          .              x          .         .             .             .
propose-jackpot         .     .      .          x              x          .         .             x             .
approve-jackpot         .     .      .          .              x          .         .             .             .
see-proposals           .     .      .          x              x          x         x             x             .
see-accounts            .     .      .          .              x          x         x             .             x
read-reports            .     .      .          x              x          x         x             x             x
see-ratings             .     .      .          x              x          .         x             .             x
search-rounds           .     .      .          x              x          .         x             .             x
read-log                .     .      .          .              x          .         x             x             x
audit-record            .     .      .          .              .          .         .             .             x
manage-users            .     .      .          .              .          .         .             x             .
approve-user            .     .      .          .              x          .         .             x             .
manage-tokens           .     .      .          .              .          .         .             x             .
see-metrics             .     .      .          .              x          .         x             x             .
`

func TestMatrixCellByCell(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(grid), "\n")
	var columns []access.Role
	for _, key := range strings.Fields(lines[0]) {
		r, err := access.ParseRole(key)
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, r)
	}
	if !slices.Equal(columns, access.Roles()) {
		t.Fatalf("the grid has the roles %v, and there are %v", columns, access.Roles())
	}
	byKey := map[string]access.Permission{}
	for _, p := range access.Permissions() {
		byKey[p.String()] = p
	}
	if rows := len(lines) - 1; len(byKey) != rows || len(access.Permissions()) != rows {
		t.Fatalf("the grid has %d rows, and there are %d permissions", rows, len(byKey))
	}
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		p, ok := byKey[cells[0]]
		if !ok || len(cells) != 1+len(columns) {
			t.Fatalf("row %q is of no permission", line)
		}
		for i, r := range columns {
			want := cells[1+i] == "x"
			if r.Can(p) != want {
				t.Errorf("%s %s: %t, want %t", r, p, r.Can(p), want)
			}
			var denied *access.Denied
			err := access.Person{Name: "ann", Role: r}.Check(p)
			if (err == nil) != want || !want && (!errors.As(err, &denied) || denied.Need != p) {
				t.Errorf("%s %s: %v", r, p, err)
			}
			if slices.Contains(p.Holders(), r) != want {
				t.Errorf("%s is held by %v", p, p.Holders())
			}
		}
	}
}

// The table that people read says the same.
func TestMatrixInTheDocuments(t *testing.T) {
	text, err := os.ReadFile("../../../docs/roles.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| ---") {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	want := []string{"| permission |"}
	for _, r := range access.Roles() {
		want[0] += " " + r.String() + " |"
	}
	for _, p := range access.Permissions() {
		row := "| " + p.String() + " |"
		for _, r := range access.Roles() {
			if r.Can(p) {
				row += " x"
			}
			row += " |"
		}
		want = append(want, row)
	}
	if !slices.Equal(rows, want) {
		t.Errorf("docs/roles.md has\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
}

func TestNobodyAndNothing(t *testing.T) {
	beyondRole := access.Roles()[len(access.Roles())-1] + 1
	beyond := access.Permissions()[len(access.Permissions())-1] + 1
	for _, p := range append(access.Permissions(), 0, beyond, 255) {
		for _, r := range []access.Role{0, beyondRole, 16, 255} {
			if r.Can(p) {
				t.Errorf("role %d has %s", r, p)
			}
		}
	}
	for _, r := range access.Roles() {
		for _, p := range []access.Permission{0, beyond, 255} {
			if r.Can(p) {
				t.Errorf("%s has permission %d", r, p)
			}
		}
	}
}

// What a role is for, as properties that any later row must keep.
func TestSeparationOfDuties(t *testing.T) {
	looks := []access.Permission{
		access.SeeFloor, access.SeeTable, access.SeeOwnAccount, access.SeeProposals, access.SeeAccounts,
		access.ReadReports, access.SeeRatings, access.SearchRounds, access.ReadLog, access.AuditRecord, access.SeeMetrics,
	}
	approves := []access.Permission{access.ApproveFill, access.ApproveCage, access.ApproveAdjustment, access.ApproveJackpot}
	money := append([]access.Permission{access.MoveAtCage, access.ProposeFill, access.ProposeAdjustment}, approves...)
	tables := []access.Permission{
		access.EnterBets, access.DealTable, access.ReportIrregularity, access.AnswerQuestion,
		access.RestrictPlay, access.SuspendProgressive, access.OpenTable, access.ReleaseTable,
	}
	any := func(r access.Role, of []access.Permission) bool { return slices.ContainsFunc(of, r.Can) }
	for _, r := range access.Roles() {
		for _, p := range access.Permissions() {
			if (r == access.Surveillance || r == access.Auditor) && r.Can(p) && !slices.Contains(looks, p) {
				t.Errorf("%s changes something: %s", r, p)
			}
			if r == access.Guest && r.Can(p) && !access.Player.Can(p) {
				t.Errorf("a guest may %s, which a player may not", p)
			}
		}
		if r.Can(access.Play) && (any(r, money) || any(r, tables)) {
			t.Errorf("%s plays and works for the house", r)
		}
		if r.Can(access.Play) != (r.AtTable() == rules.Player) || r.Can(access.Play) != r.Can(access.SeeOwnAccount) {
			t.Errorf("%s plays, or not, and is %s at a table", r, r.AtTable())
		}
		if any(r, tables) && r.AtTable() <= rules.Player {
			t.Errorf("%s works at tables and is %s there", r, r.AtTable())
		}
		if r.Can(access.MoveAtCage) && (r.Can(access.ApproveAdjustment) || r.Can(access.ProposeFill)) {
			t.Errorf("%s moves money at the cage and adjusts it alone", r)
		}
		if (r.Can(access.ManageUsers) || r.Can(access.ManageTokens)) && (any(r, money) || any(r, tables) || r.Can(access.Play)) {
			t.Errorf("%s makes users and does what they are kept apart for", r)
		}
		if (r.Can(access.DealTable) || r.Can(access.MoveAtCage)) && r.Can(access.ManageUsers) {
			t.Errorf("%s deals or pays and manages users", r)
		}
		if any(r, money) && !r.Can(access.SeeProposals) {
			t.Errorf("%s cannot see what waits for that role", r)
		}
	}
	if !slices.Equal(access.AuditRecord.Holders(), []access.Role{access.Auditor}) {
		t.Error("somebody else than an auditor audits the record")
	}
	if !access.Surveillance.Can(access.ReadLog) || any(access.Administrator, money) {
		t.Error("surveillance reads the whole log, and an administrator moves no money")
	}
	for _, p := range access.Permissions() {
		if len(p.Holders()) == 0 {
			t.Errorf("nobody may %s", p)
		}
	}
	// Dual control can be had: there are two people for every proposal, even if
	// each role is held by one person only.
	for propose, approve := range map[access.Permission]access.Permission{
		access.ProposeFill: access.ApproveFill, access.ProposeAdjustment: access.ApproveAdjustment,
		access.ProposeJackpot: access.ApproveJackpot, access.MoveAtCage: access.ApproveCage,
		access.ManageUsers: access.ApproveUser, access.ManageTokens: access.ApproveUser,
	} {
		ok := false
		for _, first := range propose.Holders() {
			for _, second := range approve.Holders() {
				ok = ok || first != second
			}
		}
		if !ok {
			t.Errorf("%s and %s need two people of the same role", propose, approve)
		}
	}
}

func action(t *testing.T, kind string) table.Action {
	t.Helper()
	a, err := record.Actions.Parse(kind, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Every action of the engine has its permission, for every role.
func TestEveryActionHasItsPermission(t *testing.T) {
	want := map[string][2]access.Permission{ // of those who play, of all others
		"open-table": {access.OpenTable, access.OpenTable}, "close-table": {access.OpenTable, access.OpenTable},
		"open-bets": {access.DealTable, access.DealTable}, "close-bets": {access.DealTable, access.DealTable},
		"bet": {access.Play, access.EnterBets}, "withdraw": {access.Play, access.EnterBets},
		"found": {access.DealTable, access.DealTable}, "deal": {access.DealTable, access.DealTable},
		"finish-deal": {access.DealTable, access.DealTable}, "examine": {access.Play, access.EnterBets},
		"raise": {access.Play, access.EnterBets}, "fold": {access.Play, access.EnterBets},
		"lay-up": {access.Play, access.DealTable}, "show": {access.DealTable, access.DealTable},
		"keep-down": {access.DealTable, access.DealTable},
		"reveal":    {access.DealTable, access.DealTable}, "settle": {access.DealTable, access.DealTable},
		"report": {access.ReportIrregularity, access.ReportIrregularity},
		"answer": {access.AnswerQuestion, access.AnswerQuestion}, "choose": {access.Play, access.EnterBets},
		"ask-withdrawal": {access.Play, access.EnterBets}, "expire": {access.DealTable, access.DealTable},
		"restrict-player": {access.RestrictPlay, access.RestrictPlay}, "restrict-areas": {access.RestrictPlay, access.RestrictPlay},
		"suspend-progressive": {access.SuspendProgressive, access.SuspendProgressive},
		"restore-progressive": {access.SuspendProgressive, access.SuspendProgressive},
	}
	for _, kind := range record.Actions.Names() {
		a, row := action(t, kind), want[kind]
		for _, r := range access.Roles() {
			need := row[1]
			if r == access.Guest || r == access.Player {
				need = row[0]
			}
			person := access.Person{Name: "ann", Role: r}
			if got := access.ForAction(person, a); got != need || !got.Valid() {
				t.Errorf("%s by %s takes %s, want %s", kind, r, got, need)
			}
			if err := person.CheckAction(a); (err == nil) != r.Can(need) {
				t.Errorf("%s by %s: %v", kind, r, err)
			}
		}
	}
	if len(want) != len(record.Actions.Names()) {
		t.Errorf("%d kinds of action are known here, and the engine has %d", len(want), len(record.Actions.Names()))
	}
	if access.ForAction(access.Person{Role: access.ShiftManager}, nil) != 0 {
		t.Error("nothing to do takes a permission")
	}
}

// Staff do not play, also not through what they may do for players.
func TestStaffDoNotBetForThemselves(t *testing.T) {
	for _, r := range []access.Role{access.Dealer, access.PitSupervisor, access.ShiftManager} {
		dan := access.Person{Name: "dan", Role: r}
		for _, name := range []string{"dan", "DAN"} {
			for _, a := range []table.Action{
				table.Bet{Player: name},
				table.Withdraw{Player: name},
				table.Examine{Player: name},
				table.Raise{Player: name},
				table.Fold{Player: name},
				table.Choose{Player: name},
				table.AskWithdrawal{Player: name},
				table.Found{Player: name},
			} {
				var denied *access.Denied
				if err := dan.CheckAction(a); !errors.As(err, &denied) || denied.Need != access.Play {
					t.Errorf("%s: %T: %v", r, a, err)
				}
			}
		}
		for _, a := range []table.Action{table.Bet{Player: "ann"}, table.Found{Player: "ann"}} {
			if err := dan.CheckAction(a); err != nil {
				t.Error(err)
			}
		}
	}
}

// A player need not name the player; staff have to.
func TestAPlayerNeedNotBeNamed(t *testing.T) {
	body := map[access.Role]string{
		access.Guest: "ann", access.Player: "ann", access.Dealer: "", access.PitSupervisor: "", access.ShiftManager: "",
	}
	for _, kind := range []string{"bet", "withdraw", "examine", "raise", "fold", "choose", "ask-withdrawal"} {
		for role, want := range body {
			ann := access.Person{Name: "ann", Role: role}
			player := func(a table.Action) string {
				return reflect.ValueOf(ann.Own(a)).FieldByName("Player").String()
			}
			if got := player(action(t, kind)); got != want {
				t.Errorf("%s by %s is for %q, want %q", kind, role, got, want)
			}
			named, err := record.Actions.Parse(kind, []byte(`{"player": "bob"}`))
			if err != nil {
				t.Fatal(err)
			}
			if got := player(named); got != "bob" {
				t.Errorf("%s by %s for bob is for %q", kind, role, got)
			}
		}
	}
	if a := (access.Person{Name: "ann", Role: access.Player}).Own(table.LayUp{Box: 1}); !reflect.DeepEqual(a, table.LayUp{Box: 1}) {
		t.Errorf("%+v", a)
	}
}

// TestNobodyIsAutomatic holds that no person of any role acts as the house's own
// program, whose reports nobody confirms.
func TestNobodyIsAutomatic(t *testing.T) {
	for _, r := range access.Roles() {
		if a := (access.Person{Name: "the house", Role: r}).Actor(); a.Automatic {
			t.Errorf("%s is automatic", r)
		}
	}
}

// The matrix and the engine agree, compared through rounds of every book. What the engine
// offers to a function, the matrix does not deny to the role that has it. What the matrix gives
// to a role, the engine offers at some time. So no permission is a promise that no table keeps.
func TestMatrixAgreesWithTheEngine(t *testing.T) {
	type cell struct {
		kind string
		role access.Role
	}
	promised := map[cell]bool{}
	for _, kind := range record.Actions.Names() {
		for _, r := range access.Roles() {
			if (access.Person{Name: "x", Role: r}).CheckAction(action(t, kind)) == nil {
				promised[cell{kind, r}] = true
			}
		}
	}
	// A folded hand that nobody knows and that could bring another box an Envy Bonus.
	foldedUnseen(t, func(kind string, r access.Role) { delete(promised, cell{kind, r}) })
	// One walk sees all common things; a few more find the rare ones, the first of these the rarest.
	for seed := uint64(38); seed <= 438 && (len(promised) > 0 || seed < uint64(38+steady.Tries(2, 40))); seed++ {
		chance := rand.New(rand.NewPCG(seed, 0))
		for _, b := range books.All() {
			for _, config := range []table.Config{
				{Device: b.Devices[0].Device, Cards: table.Virtual},
				{Device: b.Devices[0].Device, Cards: table.Read, Chips: true},
				{Device: b.Devices[0].Device, Cards: table.Unseen, Chips: true},
			} {
				walk(t, b, config, chance, func(kind string, r access.Role) { delete(promised, cell{kind, r}) })
			}
		}
	}
	for c := range promised {
		t.Errorf("%s may %s, and no table ever allows it", c.role, c.kind)
	}
}

// foldedUnseen plays up to the moment at which the dealer looks at a folded hand, and
// tells what each role is offered then.
func foldedUnseen(t *testing.T, offered func(kind string, r access.Role)) {
	t.Helper()
	b, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.New(b.Standard(), table.Config{Device: rules.Shuffler, Cards: table.Unseen})
	if err != nil {
		t.Fatal(err)
	}
	dealer := access.Person{Name: "dan", Role: access.Dealer}
	player := func(name string) access.Person { return access.Person{Name: name, Role: access.Player} }
	bet := func(box int, name string, w rules.Wager, amount money.Amount) table.Bet {
		return table.Bet{Box: box, Player: name, Wager: w, Amount: amount * money.Major}
	}
	dealt := card.Deck().Cards()[:3]
	for _, step := range []struct {
		by access.Person
		do table.Action
	}{
		{dealer, table.OpenBets{}},
		{player("ann"), bet(1, "ann", rules.Ante, 10)},
		{player("ben"), bet(2, "ben", rules.Ante, 10)},
		{player("ben"), bet(2, "ben", rules.Progressive, 5)},
		{dealer, table.CloseBets{}},
		{dealer, table.Deal{Cards: make([]table.Drawn, 9)}},
		{player("ann"), table.Fold{Box: 1, Player: "ann"}},
		{player("ben"), table.Raise{Box: 2, Player: "ben"}},
		{dealer, table.Reveal{Hand: dealt}},
	} {
		events, err := table.Decide(s, table.Command{By: step.by.Actor(), Do: step.do})
		if err == nil {
			s, err = table.Evolve(s, events...)
		}
		if err != nil {
			t.Fatalf("%s: %v", record.Actions.Name(step.do), err)
		}
	}
	for _, r := range access.Roles() {
		person := access.Person{Name: "sam", Role: r}
		if person.Actor().Role == 0 {
			continue
		}
		for _, a := range table.Legal(s, person.Actor()) {
			offered(record.Actions.Name(a), r)
		}
	}
}

// walk does some of what may be done at a table, and tells what each role was
// offered.
func walk(t *testing.T, b *rules.Book, config table.Config, chance *rand.Rand, offered func(kind string, r access.Role)) {
	t.Helper()
	v := b.Standard().Clone()
	v.Boxes = max(2, b.Boxes.Least())
	s, err := table.New(v, config)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		kinds := map[string][]table.Command{}
		legal := map[table.Actor][]table.Action{} // roles may be one to the table
		for _, r := range access.Roles() {
			person := access.Person{Name: "ann", Role: r}
			if r != access.Player && r != access.Guest {
				person.Name = "the staff"
				if s.Question != nil && s.Question.By.Name == person.Name {
					person.Name = "the second person" // whoever reports does not answer
				}
			}
			if person.Actor().Role == 0 {
				continue
			}
			by := person.Actor()
			if _, listed := legal[by]; !listed {
				legal[by] = append(table.Legal(s, by), astray(&s, by)...)
			}
			for _, a := range legal[by] {
				kind := record.Actions.Name(a)
				if err := person.CheckAction(a); err != nil {
					t.Fatalf("%s: the table offers %s: %v", b.Ref(), kind, err)
				}
				offered(kind, r)
				kinds[kind] = append(kinds[kind], table.Command{By: by, Do: a})
			}
		}
		// Every kind has much the same chance, so that rounds come to their ends,
		// but little goes wrong.
		all := slices.Sorted(maps.Keys(kinds))
		if len(all) == 0 {
			t.Fatalf("%s: nothing can be done in %s", b.Ref(), s.Phase)
		}
		kind := all[chance.IntN(len(all))]
		if chance.IntN(3) > 0 && (kind == "report" || kind == "close-table") {
			kind = all[chance.IntN(len(all))]
		}
		if len(kinds["answer"]) > 0 && chance.IntN(2) == 0 {
			kind = "answer"
		}
		next := kinds[kind][chance.IntN(len(kinds[kind]))]
		events, err := table.Decide(s, next)
		if err != nil {
			t.Fatalf("%s: %s was offered: %v", b.Ref(), kind, err)
		}
		if s, err = table.Evolve(s, events...); err != nil {
			t.Fatal(err)
		}
	}
}

// astray lists what Legal does not: a card that a hand puts where it should not lie.
func astray(s *table.State, by table.Actor) []table.Action {
	deal := table.Deal{Cards: []table.Drawn{{To: table.Box(2)}}}
	if _, err := table.Decide(*s, table.Command{By: by, Do: deal}); err != nil {
		return nil
	}
	return []table.Action{deal}
}

// A question goes to the least function that the book names, and the roles that
// may answer are those of that function or above.
func TestQuestionsOfTheBooks(t *testing.T) {
	least := map[rules.Role]bool{}
	for _, b := range books.All() {
		ask := func(q *rules.Question) {
			if q == nil {
				return
			}
			least[q.Role] = true
			can := false
			for _, r := range access.Roles() {
				if r.AtTable() != 0 && r.AtTable().AtLeast(q.Role) {
					can = can || r.Can(access.AnswerQuestion)
					if !r.Can(access.AnswerQuestion) {
						t.Errorf("%s: %s is for %s, and %s may not answer", b.Ref(), q.Key, q.Role, r)
					}
				}
			}
			if !can {
				t.Errorf("%s: nobody may answer %s", b.Ref(), q.Key)
			}
		}
		ask(b.Offer.Question)
		for _, i := range rules.Incidents() {
			if rule := b.Incident(i); rule != nil {
				for k := range rule.Cases {
					ask(rule.Cases[k].Question)
				}
			}
		}
	}
	for _, r := range access.Roles() {
		if r.Can(access.AnswerQuestion) && !slices.ContainsFunc(slices.Collect(maps.Keys(least)), r.AtTable().AtLeast) {
			t.Errorf("%s may answer questions, and no book asks that role one", r)
		}
	}
}

func TestRoleKeys(t *testing.T) {
	for _, r := range access.Roles() {
		text, err := json.Marshal(access.Person{Name: "ann", Role: r})
		if err != nil {
			t.Fatal(err)
		}
		var back access.Person
		if err := json.Unmarshal(text, &back); err != nil || back.Role != r || back.Name != "ann" {
			t.Errorf("%s came back as %+v, %v", text, back, err)
		}
	}
	for _, text := range []string{"", "unknown", "Guest", "dealer "} {
		if r, err := access.ParseRole(text); err == nil {
			t.Errorf("%q is %s", text, r)
		}
	}
	if _, err := access.ParseRole("administrater"); err == nil || !strings.Contains(err.Error(), "did you mean administrator?") {
		t.Errorf("misspelt: %v", err)
	}
	if _, err := json.Marshal(access.Person{}); err == nil {
		t.Error("nobody's role is written")
	}
}

func TestDeniedNamesWhoMay(t *testing.T) {
	for _, test := range []struct {
		by   access.Person
		need access.Permission
		want string
	}{
		{access.Person{Name: "ann", Role: access.Player}, access.MoveAtCage, "ann, a player, may not move money at the cage: that takes a cashier"},
		{access.Person{Name: "cam", Role: access.Surveillance}, access.OpenTable, "cam, surveillance, may not open or close a table: that takes a pit supervisor or a shift manager"},
		{access.Person{Role: access.Guest}, access.ReadLog, "a guest may not read the log of the house: that takes a shift manager, surveillance, an administrator or an auditor"},
		{access.Person{}, access.SeeFloor, "nobody known may not see the floor: that takes a guest, a player, a dealer, a pit supervisor, a shift manager, a cashier, surveillance, an administrator or an auditor"},
	} {
		if got := test.by.Check(test.need).Error(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// TestWhichRolesTakeTwo holds that everybody who works at a table, with money or with
// people is made by two, and nobody who plays or watches is.
func TestWhichRolesTakeTwo(t *testing.T) {
	want := map[access.Role]bool{
		access.Dealer: true, access.PitSupervisor: true, access.ShiftManager: true,
		access.Cashier: true, access.Administrator: true,
	}
	for _, r := range append(access.Roles(), 0, 200) {
		if r.TakesTwo() != want[r] {
			t.Errorf("%s takes two: %t", r, r.TakesTwo())
		}
	}
}

// TestMachinesApproveNothing holds that a token of a role that approves is refused, and
// that one of another role is refused for its role.
func TestMachinesApproveNothing(t *testing.T) {
	for _, need := range []access.Permission{
		access.ApproveFill, access.ApproveAdjustment, access.ApproveJackpot, access.ApproveUser, access.ApproveCage,
	} {
		for _, r := range access.Roles() {
			var denied *access.Denied
			person := access.Person{Name: "ann", Role: r}
			machine := access.Person{Name: "ann", Role: r, Machine: true}
			if err := person.CheckSecond(need); r.Can(need) != (err == nil) {
				t.Errorf("%s as a person, %s: %v", r, need, err)
			}
			if err := machine.CheckSecond(need); errors.Is(err, access.ErrMachine) != r.Can(need) || errors.As(err, &denied) == r.Can(need) {
				t.Errorf("%s as a machine, %s: %v", r, need, err)
			}
		}
	}
}
