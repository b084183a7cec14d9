package lang_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"trey/card"
	"trey/internal/drill"
	"trey/internal/enum"
	"trey/internal/house/autodealer"
	"trey/internal/house/protection"
	"trey/internal/house/significant"
	"trey/internal/web/lang"
	"trey/jackpot"
	"trey/money"
	"trey/odds"
	"trey/rank/pictures"
	"trey/rules"
	"trey/rules/books"
	"trey/sentence"
	"trey/table"
	"trey/trace"
)

func messages(t *testing.T, l lang.Language) map[string]string {
	t.Helper()
	text, err := os.ReadFile("messages." + l.Tag() + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var groups map[string]map[string]string
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatalf("messages.%s.json: %v", l.Tag(), err)
	}
	flat := map[string]string{}
	for group, entries := range groups {
		for key, text := range entries {
			flat[group+"."+key] = text
		}
	}
	return flat
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

func placeholders(text string) []string {
	return slices.Compact(slices.Sorted(slices.Values(placeholder.FindAllString(text, -1))))
}

// Every language has every message, with the same placeholders.
func TestLanguagesHaveTheSameMessages(t *testing.T) {
	english := messages(t, lang.English)
	for _, l := range lang.Languages() {
		other := messages(t, l)
		for key, text := range english {
			translated, ok := other[key]
			switch {
			case !ok:
				t.Errorf("messages.%s.json has no %s", l.Tag(), key)
			case strings.TrimSpace(translated) == "":
				t.Errorf("messages.%s.json: %s is empty", l.Tag(), key)
			case !slices.Equal(placeholders(text), placeholders(translated)):
				t.Errorf("messages.%s.json: %s has the placeholders %v, in English it has %v", l.Tag(), key, placeholders(translated), placeholders(text))
			}
		}
		for key := range other {
			if _, ok := english[key]; !ok {
				t.Errorf("messages.%s.json has %s, which English has not", l.Tag(), key)
			}
		}
	}
}

var (
	used    = regexp.MustCompile(`\b[TN]\(\s*"([a-z0-9.-]+)"([^"]{0,4})`)
	counted = regexp.MustCompile(`\bN\(\s*"`)
)

// What the code asks for is there, and what is there somebody asks for.
func TestCodeAndMessagesAgree(t *testing.T) {
	english := messages(t, lang.English)
	asked := map[string]bool{}
	var prefixes []string
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_templ.go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		if ext := filepath.Ext(name); ext != ".go" && ext != ".templ" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range used.FindAllStringSubmatch(string(text), -1) {
			switch {
			case strings.HasPrefix(strings.TrimSpace(m[2]), "+"):
				prefixes = append(prefixes, m[1])
			case counted.MatchString(m[0]):
				for _, form := range []string{".one", ".other"} {
					asked[m[1]+form] = true
				}
			default:
				asked[m[1]] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(asked) < 20 {
		t.Fatalf("only %d messages found in the code: the search is broken", len(asked))
	}
	for key := range asked {
		if _, ok := english[key]; !ok && key != "rules.count" { // which is the example in a comment
			t.Errorf("the code asks for %s, which no catalogue has", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(english)) {
		if !asked[key] && !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(key, p) }) {
			t.Errorf("nobody asks for %s", key)
		}
	}
}

// needs complains of each language whose file has no translation of a text; where says what the
// text belongs to.
func needs(t *testing.T, file, text, where string) {
	t.Helper()
	for _, l := range lang.Languages() {
		if !(lang.Printer{Language: l}).Translates(text) {
			t.Errorf("%s.%s.json has no %q %s", file, l.Tag(), text, where)
		}
	}
}

// Whatever has a name at a table has one in every language.
func TestNamesAreTranslated(t *testing.T) {
	var names []string
	for _, w := range rules.Wagers() {
		names = append(names, w.Name())
	}
	for _, b := range books.All() {
		names = append(names, b.Title, b.House)
		for _, bet := range odds.Bets(b.Standard()) {
			names = append(names, bet.Name())
		}
	}
	for r := pictures.Rank(1); r.Valid(); r++ {
		names = append(names, r.String())
	}
	for _, b := range books.All() {
		for _, r := range b.Open() {
			names = append(names, r.Rule().Question)
			for _, c := range r.Rule().Choices {
				names = append(names, c.String())
			}
		}
		for _, r := range b.Readings {
			names = append(names, r.Question)
			if !r.Stated() { // else the answer has figures in it
				names = append(names, r.Answer(b.Standard()))
			}
		}
	}
	for c := rules.NobodyLooked; c.String() != "unknown"; c++ {
		names = append(names, table.ConditionWords(c))
	}
	for o := rules.Continue; o.String() != "unknown"; o++ {
		names = append(names, table.OutcomeWords(o))
	}
	for _, i := range rules.Incidents() {
		names = append(names, table.IncidentWords(i))
	}
	for _, b := range books.All() {
		for _, in := range trace.Incidents(b) {
			for i := range in.Rows {
				names = append(names, in.Rows[i].SecondPerson)
				if q := in.Rows[i].Question; q != nil {
					names = append(names, q.Ask, q.Role.Name())
				}
			}
		}
		for _, o := range trace.Options(b) {
			names = append(names, o.Words)
		}
	}
	// An operator's variant pays also for what no book has a row for.
	for c := rules.Combo(1); c.String() != enum.Unknown; c++ {
		names = append(names, c.Name())
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		needs(t, "terms", name, "")
	}
}

// Every clause can be read in every language. A summary that has changed is one
// that has to be translated anew.
func TestClausesAreTranslated(t *testing.T) {
	for _, b := range books.All() {
		for _, c := range b.Clauses {
			for _, text := range []string{c.Summary, c.Where} {
				if text != "" {
					needs(t, "clauses", text, b.ClauseRef(c.ID))
				}
			}
		}
	}
}

func TestHandsAndCardsAreNamed(t *testing.T) {
	tests := []struct {
		hand, english, chinese string
	}{
		{"Qh 6d 4c", "High card Q-6-4", "高牌 Q-6-4"},
		{"9h 9d 5c", "Pair 9-9-5", "对子 9-9-5"},
		{"As Ks Qs", "Straight flush A-K-Q", "同花顺 A-K-Q"},
	}
	for _, test := range tests {
		h, err := card.ParseHand(test.hand)
		if err != nil {
			t.Fatal(err)
		}
		if got := (lang.Printer{Language: lang.English}).Hand(rules.PokerOrder, h); got != test.english {
			t.Errorf("%s is %q in English, want %q", test.hand, got, test.english)
		}
		if got := (lang.Printer{Language: lang.Chinese}).Hand(rules.PokerOrder, h); got != test.chinese {
			t.Errorf("%s is %q in Chinese, want %q", test.hand, got, test.chinese)
		}
	}
	queen := card.New(card.Queen, card.Hearts)
	if got := (lang.Printer{Language: lang.English}).Card(queen); got != "queen of hearts" {
		t.Errorf("Qh is %q", got)
	}
	if got := (lang.Printer{Language: lang.Chinese}).Card(queen); got != "红心Q" {
		t.Errorf("Qh is %q", got)
	}
}

func TestAccepted(t *testing.T) {
	tests := []struct {
		header string
		want   lang.Language
	}{
		{"", lang.English},
		{"en-GB,en;q=0.9", lang.English},
		{"zh-CN,zh;q=0.9,en;q=0.8", lang.Chinese},
		{"de-DE,de;q=0.9", lang.English},
		{"de,zh-SG;q=0.7,en;q=0.3", lang.Chinese},
		{"en;q=0.5,zh;q=0.4", lang.English},
		{"\x00;;;", lang.English},
	}
	for _, test := range tests {
		if got := lang.Accepted(test.header); got != test.want {
			t.Errorf("Accept-Language %q: %s, want %s", test.header, got.Tag(), test.want.Tag())
		}
	}
}

func TestAmountsAndTimes(t *testing.T) {
	p := lang.Printer{Language: lang.English}
	for amount, want := range map[money.Amount]string{0: "$0", 1250: "$12.50", 125_000: "$1,250", -305: "−$3.05"} {
		if got := p.Money(amount); got != want {
			t.Errorf("%d cents are %q, want %q", int64(amount), got, want)
		}
	}
	for _, said := range []sentence.Sentence{
		sentence.Of("%s holds %s", "ann", money.Amount(125_000)),
		sentence.Of("%s holds $%s", "ann", money.Amount(125_000)), // a form with the sign in it
		sentence.Of("%s holds $%s", "ann", "1,250"),
	} {
		if got, _ := p.Sentence(said); got != "ann holds $1,250" {
			t.Errorf("a page says %q", got)
		}
	}
	if got := p.Change(500); got != "+$5" {
		t.Errorf("winning $5 is %q", got)
	}
	if got := p.Whole(22_100); got != "22,100" {
		t.Errorf("22100 is %q", got)
	}
	at := time.Date(2026, 11, 21, 18, 5, 0, 0, time.UTC)
	if got := p.Time(at); got != "21 November 2026, 18:05" {
		t.Errorf("the time is %q", got)
	}
	if got := (lang.Printer{Language: lang.Chinese}).Time(at); got != "2026年11月21日 18:05" {
		t.Errorf("the time is %q in Chinese", got)
	}
}

// Every key that a page uses has a message. Otherwise the page fails when a person needs it,
// for instance for the reason of a refusal.
func TestMembersOfListsHaveMessages(t *testing.T) {
	texts := messages(t, lang.English)
	for prefix, keys := range map[string][]string{
		"incident.":         keysFrom(rules.ForeignCard),
		"outcome.":          keysFrom(rules.Continue),
		"result.":           keysFrom(rules.Win),
		"function.":         keysFrom(rules.Player),
		"refusal.":          keysFrom(table.Malformed),
		"phase.":            keysFrom(table.Ready),
		"wait.":             keysFrom(autodealer.Nothing),
		"significant.":      keysFrom(significant.SignInRefused),
		"school.kind-":      keysFrom(drill.Name),
		"school.asks-":      keysFrom(drill.AskedHand),
		"account.kind-":     keysFrom(protection.Deposit),
		"account.period-":   keysFrom(protection.Day),
		"console.overflow-": keysFrom(jackpot.OverflowOnTop),
	} {
		for _, key := range keys {
			if texts[prefix+key] == "" {
				group, name, _ := strings.Cut(prefix+key, ".")
				t.Errorf("messages.en.json: %s has no %q: add the words for it, in each language", group, name)
			}
		}
	}
}

// keysFrom returns the keys of a closed list from a member on.
func keysFrom[E interface {
	~uint8
	fmt.Stringer
}](first E) (keys []string) {
	for e := first; e.String() != "unknown"; e++ {
		keys = append(keys, e.String())
	}
	return keys
}

// A text is written once: of two under one key, readers of JSON take the later without a word.
func TestNothingIsWrittenTwice(t *testing.T) {
	files, err := filepath.Glob("*.json")
	if err != nil || len(files) < 8 {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range twice(t, string(text)) {
			t.Errorf("%s has %q twice in one object", name, key)
		}
	}
	if got := twice(t, `{"a": {"b": "1", "c": ["b"]}, "b": "2", "c": {"b": "3", "b": "4"}}`); !slices.Equal(got, []string{"b"}) {
		t.Errorf("found %q", got)
	}
}

// An English term has one Chinese word in every file: a reader finds the word of a refusal on the
// felt, and that of a report on the page that the report is about.
func TestTermsHaveOneChineseName(t *testing.T) {
	files, err := filepath.Glob("*.zh-Hans.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("found %v, %v", files, err)
	}
	names := map[string]string{
		"妒忌": "羡慕", "对子加": "对子以上", "红利": "奖金", "累进": "累积", "累积奖": "累积大奖", "奖池": "累积大奖",
		"赌桌": "牌桌", "赌台": "牌桌", "客人": "访客", "角色": "职务", "职位": "职务", "牌区": "赌区", "账房": "出纳",
		"兑入": "买入", "兑现": "兑出", "加码": "补充筹码", "退码": "收回筹码", "异牌": "外来牌", "烧": "销",
		"截注": "停止下注", "截止下注": "停止下注", "封盘": "停止下注", "提案": "申请", "提议": "申请", "否决": "拒绝",
		"命中": "中奖", "起始额": "起始值", "派彩": "赔付", "派付": "赔付", "桌布": "台面", "哈希": "散列值",
		"娱乐场": "赌场", "场方": "赌场", "本场": "本赌场", "够资格": "合格", "不合资格": "不合格", "平局": "不输不赢",
		"当值经理": "值班经理", "赔率表": "赔付表", "储备金": "储备", "发牌差错": "发牌错误", "撤注": "取回投注", "撤回投注": "取回投注",
		"重放": "回放", "重新载入": "重新加载", " 比 1": "1赔", "笔交易": "笔事务",
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for other, word := range names {
			if strings.Contains(string(text), other) {
				t.Errorf("%s says %s where other files say %s", name, other, word)
			}
		}
	}
}

// twice lists the keys that stand twice in one object.
func twice(t *testing.T, text string) (keys []string) {
	t.Helper()
	in := json.NewDecoder(strings.NewReader(text))
	var value func()
	next := func() json.Token {
		token, err := in.Token()
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	value = func() {
		switch next() {
		case json.Delim('{'):
			seen := map[string]bool{}
			for in.More() {
				key := next().(string)
				if seen[key] {
					keys = append(keys, key)
				}
				seen[key] = true
				value()
			}
			next()
		case json.Delim('['):
			for in.More() {
				value()
			}
			next()
		}
	}
	value()
	return keys
}
