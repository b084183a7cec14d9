// Package plain plays a session in lines of text: sentences out, typed commands
// in. It moves no cursor and uses no colour, so that a screen reader can speak it
// and a program can drive it through a pipe.
package plain

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"trey/card"
	"trey/internal/play"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// Table is one session played in lines.
type Table struct {
	session *play.Session
	out     io.Writer
	step    string
	// warned says that the player knows what leaving means and may now leave.
	warned bool
	done   bool
}

// Call is something from outside that concerns the session.
type Call uint8

// The calls. The zero value is none of them.
const (
	_ Call = iota
	// AskToLeave is Ctrl-C: the player asks to leave, as by typing quit.
	AskToLeave
	// Stop ends the program without the player: a signal, or a terminal that has
	// hung up.
	Stop
)

// ErrHungUp is the error of an input whose terminal is gone. Any error of the
// input that is not its end counts as this one.
var ErrHungUp = errors.New("the terminal has hung up")

// New returns a table that writes what it says.
func New(s *play.Session, out io.Writer) *Table { return &Table{session: s, out: out} }

func (t *Table) say(format string, args ...any) { fmt.Fprintf(t.out, format+"\n", args...) }

// Greet says where the player is and what can be typed. It begins with a book if
// one is named, unless a round in progress goes on.
func (t *Table) Greet(book string) error {
	t.say("Welcome to Trey. You have $%s of play money. Type help at any time, and quit to leave.", t.session.Balance().Display())
	if t.session.Variant() != nil {
		t.seated()
		return t.table(nil)
	}
	if book == "" {
		t.games()
		return nil
	}
	if err := t.session.Sit(book, ""); err != nil {
		return err
	}
	t.seated()
	t.now()
	return nil
}

// longest bounds the length of a typed line, in bytes.
const longest = 4096

// input is a typed line, or how the input ended.
type input struct {
	text string
	long bool
	err  error
}

// read sends what is typed until the input ends or nobody wants more of it.
func read(in io.Reader, lines chan<- input, quit <-chan struct{}) {
	reader := bufio.NewReaderSize(in, longest)
	send := func(i input) bool {
		select {
		case lines <- i:
			return true
		case <-quit:
			return false
		}
	}
	for {
		text, long, err := reader.ReadLine()
		line := input{text: string(text), long: long, err: err}
		for long && err == nil {
			_, long, err = reader.ReadLine()
		}
		if !send(line) || line.err != nil {
			return
		}
	}
}

// Run reads commands until the player leaves, the input ends or a call ends it.
// The end of the input is a player who leaves: there is nobody left to ask. A
// terminal that hangs up, and [Stop], leave the round as it is for the next start.
// The error is one of the output or the account.
func (t *Table) Run(in io.Reader, calls <-chan Call) error {
	lines := make(chan input)
	quit := make(chan struct{})
	defer close(quit)
	go read(in, lines, quit)
	for !t.done {
		select {
		case line := <-lines:
			switch {
			case line.err != nil:
				return t.ended(line.err, calls)
			case line.long:
				t.say("That line is too long, and was not read.")
			default:
				t.Do(line.text)
			}
		case call := <-calls:
			if err := t.called(call); err != nil {
				return err
			}
		}
	}
	return nil
}

// ended follows the end of the input. A call that arrives with it comes first: a
// hang-up ends both at once.
func (t *Table) ended(err error, calls <-chan Call) error {
	select {
	case call := <-calls:
		if call == Stop {
			return t.called(Stop)
		}
	default:
	}
	if errors.Is(err, io.EOF) {
		return t.InputEnded()
	}
	return t.called(Stop)
}

// InputEnded ends the session of a player from whom nothing more can come.
func (t *Table) InputEnded() error {
	if t.done {
		return nil
	}
	return t.leave()
}

func (t *Table) called(c Call) error {
	if c == AskToLeave {
		return t.quit(nil)
	}
	for _, words := range t.session.Suspend() {
		t.say("%s", words)
	}
	t.done = true
	return nil
}

func (t *Table) leave() error {
	notes, err := t.session.Leave()
	if err != nil {
		return err
	}
	for _, words := range notes {
		t.say("%s", words)
	}
	t.say("You leave with $%s.", t.session.Balance().Display())
	t.done = true
	return nil
}

// command is one thing that can be typed.
type command struct {
	name, arguments, help string
	do                    func(t *Table, words []string) error
	// moves says that the command changes what lies on the table.
	moves bool
}

var commands []command

func init() {
	// Not a literal: help lists the commands that it is one of.
	commands = []command{
		{"bet", "BOX WAGER AMOUNT", "put chips on a wager, such as: bet 1 ante 10", (*Table).bet, true},
		{"take", "BOX WAGER, or all", "take a wager back before the deal", (*Table).take, true},
		{"rebet", "", "place the bets of the last round again", func(t *Table, _ []string) error { return t.session.Rebet() }, true},
		{"deal", "", "close the bets and have the cards dealt", func(t *Table, _ []string) error { return t.session.Deal() }, true},
		{"look", "BOX", "look at a hand", (*Table).look, false},
		{"play", "BOX", "go on with a hand, with a Play bet as large as its Ante", func(t *Table, w []string) error { return t.onBox(w, t.session.Play) }, true},
		{"fold", "BOX", "give a hand up", func(t *Table, w []string) error { return t.onBox(w, t.session.Fold) }, true},
		{"lay", "BOX", "lay the hand that you looked at face up", func(t *Table, w []string) error { return t.onBox(w, t.session.LayUp) }, true},
		{"reveal", "", "have the dealer show the hand, and settle", func(t *Table, _ []string) error { return t.session.Reveal() }, true},
		{"next", "", "begin the next round without bets", func(t *Table, _ []string) error { return t.session.Next() }, true},
		{"table", "", "show the bets and cards on the table", (*Table).table, false},
		{"pays", "", "hear limits and pay tables", (*Table).pays, false},
		{"clause", "NUMBER, or nothing", "show the clause of this step, or any other of the book", (*Table).clause, false},
		{"history", "ROUND, or TABLE ROUND, or nothing", "list the last rounds, or show every line of one", (*Table).history, false},
		{"record", "", "show where the record of the last round is; trey replay checks it and prints it in words", func(t *Table, _ []string) error { t.say("%s", t.session.WhereRecorded()); return nil }, false},
		{"balance", "", "hear what you have", (*Table).balance, false},
		{"refill", "", "get new play money when yours is gone", func(t *Table, _ []string) error { return t.session.Refill() }, true},
		{"games", "", "hear which games there are", func(t *Table, _ []string) error { t.games(); return nil }, false},
		{"game", "NAME TABLE", "change the game, or the pay table of the Bonus bet", (*Table).game, false},
		{"help", "", "hear this list", func(t *Table, _ []string) error { t.help(); return nil }, false},
		{"quit", "", "leave; in mid-round it is asked once more, and then the hands not decided fold", (*Table).quit, false},
	}
}

var otherNames = map[string]string{
	"q": "quit", "exit": "quit", "bye": "quit", "?": "help", "h": "help", "again": "rebet",
	"show": "reveal", "log": "record", "examine": "look", "raise": "play", "withdraw": "take", "pay": "pays",
}

// Do carries out one typed command and prints the result.
func (t *Table) Do(text string) {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 || strings.HasPrefix(words[0], "#") {
		return
	}
	name := words[0]
	if other, ok := otherNames[name]; ok {
		name = other
	}
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if i < 0 {
		t.say("There is no command %q.%s Type help for the list.", words[0], meant(name))
		return
	}
	if name != "quit" {
		t.warned = false
	}
	phase, staked, balance := t.session.Phase(), t.session.Staked(), t.session.Balance()
	if err := commands[i].do(t, words[1:]); err != nil {
		t.say("%s", sentence(err.Error()))
		return
	}
	if commands[i].moves && !t.done {
		t.changed(phase, t.session.Staked() != staked || t.session.Balance() != balance)
	}
}

// sentence gives an error the form of a sentence.
func sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

// changed prints the effect of the last change, and the balance if money moved.
func (t *Table) changed(before table.Phase, money bool) {
	for _, words := range t.session.Told() {
		t.say("%s", words)
	}
	phase := t.session.Phase()
	if before == table.Betting && phase == table.Deciding {
		t.say("Three cards lie face down on each box with bets and before the dealer.")
	}
	switch {
	case phase == table.Paid || phase == table.Voided:
		t.say("Round %d: %s. Your balance is $%s.", t.session.Round(), play.Signed(t.session.Net()), t.session.Balance().Display())
		if trouble := t.session.RecordTrouble(); trouble != "" {
			t.say("%s", trouble)
		}
	case money:
		t.say("Your balance is $%s, and $%s is on the table.", t.session.Balance().Display(), t.session.Staked().Display())
	}
	t.offerRefill()
	t.now()
}

func (t *Table) offerRefill() {
	if t.session.Broke() {
		t.say("Your play money is too little for a hand at this table: type refill for more.")
	}
}

// now says the step of the round, if it is another than before.
func (t *Table) now() {
	step := t.session.Step()
	words := step.Title + ". " + step.Todo
	if step.Clause != "" {
		words += " (" + step.Clause + ")"
	}
	if words != t.step {
		t.step = words
		t.say("%s", words)
	}
}

func (t *Table) seated() {
	v := t.session.Variant()
	picture := t.session.Picture()
	boxes := fmt.Sprintf("boxes 1 to %d", v.Boxes)
	if v.Boxes == 1 {
		boxes = "one box"
	}
	by := ""
	if name := t.session.Game().By; name != "" {
		by = fmt.Sprintf(" in the variant %s, hash %s", name, rules.ShortHash(v.Hash()))
	}
	t.say("You sit at a table of %s by the rules of %s (%s)%s, with %s.", v.Book.Title, v.Book.House, v.Book.Ref(), by, boxes)
	var wagers []string
	for _, w := range t.session.Wagers() {
		wagers = append(wagers, w.String()+" "+play.LimitWords(v.Limits[w]))
	}
	t.say("The wagers are %s.", strings.Join(wagers, ", "))
	if w, names := t.session.PayTables(); w != 0 {
		t.say("The %s bet is paid by table %s; the book also offers %s.", w.Name(), v.Pays[w].Name,
			strings.Join(slices.DeleteFunc(names, func(n string) bool { return n == v.Pays[w].Name }), ", "))
	}
	if meter, ok := t.session.Meter(); ok {
		t.say("The Progressive Jackpot stands at $%s.", meter.Display())
	}
	for _, b := range picture.Boxes {
		if name := t.session.OtherAt(b.Box); name != "" {
			t.say("%s sits at box %d.", name, b.Box)
		}
	}
	if t.session.Phase() == table.Betting && t.session.Staked() == 0 {
		t.lying(&picture)
	}
	t.offerRefill()
}

// lying says which bets lie on the table, and returns whether there are any.
func (t *Table) lying(p *table.Picture) (some bool) {
	for i := range p.Boxes {
		b := &p.Boxes[i]
		if len(b.Bettors) == 0 {
			continue
		}
		some = true
		var bets []string
		for k := range b.Bettors {
			words := stakes(b.Bettors[k].Stakes)
			if name := b.Bettors[k].Player; name != play.Player {
				words = name + " " + words
			} else if len(b.Bettors) > 1 {
				words = "you " + words
			}
			bets = append(bets, words)
		}
		words := "Box " + strconv.Itoa(b.Box) + ": " + strings.Join(bets, "; ") + "."
		if len(b.Cards) > 0 {
			words += " " + hand(b.Cards, b.Rank)
		}
		if b.Decision != table.Undecided {
			words += " It is " + b.Decision.String() + "."
		}
		if b.Lammer {
			words += " An Envy lammer lies beside the bonus bet."
		}
		t.say("%s", words)
	}
	return some
}

// stakes names wagers with their amounts, in the order of the layout.
func stakes(all map[rules.Wager]money.Amount) string {
	var words []string
	for _, w := range rules.Wagers() {
		if amount := all[w]; amount != 0 {
			words = append(words, w.Name()+" "+amount.Display())
		}
	}
	if words == nil {
		return "the bets have been collected"
	}
	return strings.Join(words, ", ")
}

// games lists what can be played.
func (t *Table) games() {
	t.say("The games are:")
	for i, b := range books.All() {
		by := ""
		if name := t.session.By(b); name != "" {
			by = ", in the variant " + name
		}
		t.say("%d. %s, by the rules of %s%s. Type: game %s", i+1, b.Title, b.House, by, b.ID)
	}
}

func (t *Table) game(words []string) error {
	if len(words) == 0 || len(words) > 2 {
		return fmt.Errorf("say which game, such as: game rws-3cp")
	}
	ref := words[0]
	if n, err := strconv.Atoi(ref); err == nil && n >= 1 && n <= len(books.All()) {
		ref = books.All()[n-1].ID
	}
	payTable := ""
	if len(words) == 2 {
		payTable = strings.ToUpper(words[1])
	}
	if err := t.session.Sit(ref, payTable); err != nil {
		return err
	}
	t.step = ""
	t.seated()
	t.now()
	return nil
}

func (t *Table) bet(words []string) error {
	v := t.session.Variant()
	if v == nil {
		return fmt.Errorf("choose a game first, such as: game rws-3cp")
	}
	usage := fmt.Errorf("say box, wager and amount, such as: bet 1 %s 10", t.session.Wagers()[0])
	if len(words) < 2 || len(words) > 3 {
		return usage
	}
	box, err := t.box(words[0])
	if err != nil {
		return err
	}
	w, err := t.wager(words[1])
	if err != nil {
		return err
	}
	amount, only := play.OnlyStake(v, w)
	if len(words) == 3 {
		if amount, err = money.Parse(words[2]); err != nil {
			return err
		}
	} else if !only {
		return usage
	}
	return t.session.Bet(box, w, amount)
}

func (t *Table) box(word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil {
		boxes := 0
		if v := t.session.Variant(); v != nil {
			boxes = v.Boxes
		}
		return 0, fmt.Errorf("%q is not a box: write its number, 1 to %d", word, boxes)
	}
	return n, nil
}

// wager finds a wager by its key, the start of it, or what people call it.
func (t *Table) wager(word string) (rules.Wager, error) {
	v := t.session.Variant()
	if v == nil {
		return 0, fmt.Errorf("choose a game first, such as: game rws-3cp")
	}
	if word == "pp" || word == "pairplus" {
		word = "pair-plus"
	}
	var keys []string
	for _, w := range t.session.Wagers() {
		keys = append(keys, w.String())
		if strings.HasPrefix(w.String(), word) || strings.HasPrefix(strings.ToLower(play.ShortName(w)), word) {
			return w, nil
		}
	}
	return 0, fmt.Errorf("there is no wager %q before the deal: choose from %s", word, strings.Join(keys, ", "))
}

func (t *Table) take(words []string) error {
	if len(words) == 1 && words[0] == "all" {
		return t.session.TakeAllBack()
	}
	if len(words) != 2 {
		return fmt.Errorf("say box and wager, such as: take 1 ante; or: take all")
	}
	box, err := t.box(words[0])
	if err != nil {
		return err
	}
	w, err := t.wager(words[1])
	if err != nil {
		return err
	}
	return t.session.TakeBack(box, w)
}

func (t *Table) onBox(words []string, do func(int) error) error {
	if len(words) != 1 {
		return fmt.Errorf("say which box, by its number")
	}
	box, err := t.box(words[0])
	if err != nil {
		return err
	}
	return do(box)
}

func (t *Table) look(words []string) error {
	if err := t.onBox(words, t.session.Look); err != nil {
		return err
	}
	box, _ := t.box(words[0])
	b := t.session.Picture().Boxes[box-1]
	t.say("Box %d: %s. %s.", box, play.Spoken(b.Cards), b.Rank)
	t.now()
	return nil
}

// table prints the cards and bets on the table.
func (t *Table) table([]string) error {
	if t.session.Variant() == nil {
		t.games()
		return nil
	}
	picture := t.session.Picture()
	if len(picture.Dealer) > 0 {
		t.say("The dealer: %s", hand(picture.Dealer, picture.DealerRank))
	}
	if !t.lying(&picture) {
		t.say("No bets lie on the table.")
	}
	if meter, ok := t.session.Meter(); ok {
		t.say("The Progressive Jackpot stands at $%s.", meter.Display())
	}
	t.step = ""
	t.now()
	return nil
}

// hand names cards, or says that they lie face down.
func hand(cards []card.Card, rank string) string {
	if rank == "" {
		return "Three cards face down."
	}
	return play.Spoken(cards) + ". " + rank + "."
}

func (t *Table) pays([]string) error {
	if t.session.Variant() == nil {
		return fmt.Errorf("choose a game first, such as: game rws-3cp")
	}
	for _, line := range play.PaySheet(t.session.Variant()) {
		words := line.Text
		if line.Pays != "" {
			words += ": " + line.Pays
		}
		if line.Clause != "" {
			words += " (" + line.Clause + ")"
		}
		t.say("%s.", words)
	}
	return nil
}

func (t *Table) clause(words []string) error {
	step := t.session.Step()
	if len(words) == 0 {
		if step.Clause == "" {
			return fmt.Errorf("no clause is behind this step")
		}
		t.say("%s: %s", step.Clause, step.Summary)
		return nil
	}
	if t.session.Variant() == nil {
		return fmt.Errorf("choose a game first, such as: game rws-3cp")
	}
	b := t.session.Variant().Book
	for i := range b.Clauses {
		// The parts of a clause such as 2.1.1a are typed in either case.
		if strings.EqualFold(b.Clauses[i].ID, words[len(words)-1]) {
			t.say("%s: %s", b.ClauseRef(b.Clauses[i].ID), b.Clauses[i].Summary)
			return nil
		}
	}
	return fmt.Errorf("%s has no clause %q: trey rules %s lists them", b.Ref(), words[len(words)-1], b.ID)
}

// history lists the rounds played, or describes one of them. A number names a round at this table;
// the name of a table and a number name any other.
func (t *Table) history(words []string) error {
	rounds, err := t.session.History()
	if err != nil {
		return err
	}
	if len(words) == 0 {
		if len(rounds) == 0 {
			t.say("No round has been played yet.")
		}
		for i := range rounds {
			r := &rounds[i]
			t.say("Round %d at %s, %s, %s: %s, balance $%s.", r.Round, r.Table, r.Name(), r.Ended, play.Signed(r.Net), r.Balance.Display())
		}
		return nil
	}
	at, number := t.session.Table(), words[len(words)-1]
	if len(words) > 1 {
		at = words[0]
	}
	for i := range rounds {
		if r := &rounds[i]; number == strconv.Itoa(r.Round) && at == r.Table {
			for _, line := range play.SummaryWords(r) {
				t.say("%s", line)
			}
			return nil
		}
	}
	return fmt.Errorf("round %s of table %s is not among the last rounds: type history for the list, then for example history rws-3cp 1", number, cmp.Or(at, "none"))
}

func (t *Table) balance([]string) error {
	t.say("Your balance is $%s, and $%s is on the table.", t.session.Balance().Display(), t.session.Staked().Display())
	return nil
}

func (t *Table) help() {
	t.say("The commands are:")
	for _, c := range commands {
		name := c.name
		if c.arguments != "" {
			name += " " + c.arguments
		}
		t.say("%s: %s.", name, c.help)
	}
	t.step = ""
	t.now()
}

// quit leaves. Where something is at stake it says what, once, and leaves when it
// is asked again.
func (t *Table) quit([]string) error {
	left := t.session.IfLeft()
	if left.Free || t.warned {
		return t.leave()
	}
	t.warned = true
	t.say("A round is in progress. %s", left.Words)
	t.say("Type quit again to leave, or go on playing.")
	return nil
}

// meant suggests, in words, the command that a mistyped one may have been.
func meant(word string) string {
	for _, c := range commands {
		if strings.HasPrefix(c.name, word) || len(word) > 2 && near(word, c.name) {
			return " Did you mean " + c.name + "?"
		}
	}
	return ""
}

// near reports whether two words differ in one letter, or in two that have
// changed places.
func near(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
