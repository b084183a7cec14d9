package rulebook

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"trey/internal/steady"
	"trey/internal/web/lang"
	"trey/rules/books"
	"trey/scenario"
	"trey/sentence"
	"trey/table"
)

// Every scenario, told in Chinese: each line and comment of it, and by default of every eighth,
// which are played, each event, each announcement, each refusal. What is not Chinese in it is a
// name, a provision or a rank.
func TestScenariosAreShownInChinese(t *testing.T) {
	chinese := lang.Printer{Language: lang.Chinese}
	files, err := fs.Glob(os.DirFS("../../.."), "scenario/testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	narrated, written, lines := map[string]bool{}, map[string]bool{}, map[string]bool{}
	walk := func(t *testing.T, file string, played bool) {
		script, err := scenario.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		steps := script.Lines()
		if played {
			if steps, err = script.Steps(); err != nil {
				t.Fatal(err)
			}
		}
		names := map[string]bool{}
		title := func(what string) {
			if !chinese.Translates(what) {
				t.Errorf("scenarios.zh-Hans.json has no %q", what)
			} else if left := foreign(chinese.Term(what), names); left != "" {
				t.Errorf("%q is %q, with %q", what, chinese.Term(what), left)
			}
			mu.Lock()
			written[what] = true
			mu.Unlock()
		}
		say := func(s sentence.Sentence) {
			words, complete := chinese.Sentence(local(chinese, s))
			mu.Lock()
			narrated[s.Form] = true
			mu.Unlock()
			if left := foreign(words, names); !complete || left != "" {
				t.Errorf("%q is told as %q, with %q", s, words, left)
			}
		}
		for _, step := range steps {
			for _, m := range people.FindAllStringSubmatch(step.Text, -1) {
				for _, word := range latin.FindAllString(m[1]+m[2], -1) {
					names[word] = true
				}
			}
			names[step.Table] = true
			mu.Lock()
			lines[step.Text] = true
			mu.Unlock()
			said := line(chinese, &step)
			if left := foreign(cards.ReplaceAllString(said, ""), guests); left != "" {
				t.Errorf("%q is put as %q, with %q", step.Text, said, left)
			}
			if r, ok := step.Refusal.(interface{ Sentence() sentence.Sentence }); ok {
				say(r.Sentence())
			} else if step.Refusal != nil {
				t.Errorf("%v cannot be told in another language", step.Refusal)
			}
			for _, result := range step.Results {
				names[result.Command.By.Name] = true
				for _, e := range result.Events {
					for _, s := range table.Sentences(e, result.State) {
						say(s)
					}
					if e, ok := e.(table.Announced); ok {
						say(e.Sentence(result.State))
					}
				}
			}
			for _, s := range step.Jackpot {
				say(s)
			}
		}
		title(script.What)
		for _, step := range steps {
			for _, note := range step.Notes {
				title(note)
			}
		}
	}
	t.Run("all", func(t *testing.T) {
		for i, file := range files {
			t.Run(strings.TrimPrefix(file, "scenario/testdata/"), func(t *testing.T) {
				t.Parallel()
				walk(t, file, steady.Turn(i, 8))
			})
		}
	})
	text, err := os.ReadFile("../lang/scenarios.zh-Hans.json")
	if err != nil {
		t.Fatal(err)
	}
	var books map[string]map[string]string
	if err := json.Unmarshal(text, &books); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile("../lang/script.zh-Hans.json"); err != nil {
		t.Fatal(err)
	}
	var script map[string]map[string]string
	if err := json.Unmarshal(text, &script); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for line := range lines {
		all.WriteString(strings.ReplaceAll(line, "''", "'") + " \n")
	}
	for group, words := range script {
		for word := range words {
			_, last, pair := strings.Cut(word, "=")
			if _, value, two := strings.Cut(word, " "); !pair && group == "keys" && two {
				last = value
			} else if !pair {
				last = word
			}
			if verb, value, two := strings.Cut(last, " "); two && group == "words" && !strings.Contains(all.String(), last) {
				last = value
				if !strings.Contains(all.String(), verb+" ") {
					t.Errorf("script.zh-Hans.json has %q, which no scenario says", word)
				}
			}
			if !strings.Contains(all.String(), last) {
				t.Errorf("script.zh-Hans.json has %q, which no scenario says", word)
			}
		}
	}
	for _, titles := range books {
		for what := range titles {
			if !written[what] {
				t.Errorf("scenarios.zh-Hans.json has %q, which stands in no scenario", what)
			}
		}
	}
	if len(files) < 400 || len(narrated) < 120 || steady.Whole() && len(narrated) < 150 {
		t.Errorf("%d scenarios tell %d kinds of sentences: the walk is broken", len(files), len(narrated))
	}
}

var (
	// provisions are books and what they are cited by: "rws-3cp@3 5.8.6", "us-3cp
	// dealing.6", and the names of rulings.
	provisions = func() *regexp.Regexp {
		var refs []string
		for _, b := range books.All() {
			refs = append(refs, regexp.QuoteMeta(b.Ref())+`( [0-9A-Za-z._-]+)?`)
		}
		return regexp.MustCompile(strings.Join(append(refs, `裁定 [a-z_]+`), "|"))
	}()
	// guests are all who play in a scenario, and the staff who have names there.
	guests = map[string]bool{"dan": true, "pat": true, "ann": true, "ben": true, "cai": true, "dee": true, "eli": true, "eva": true, "fay": true, "gus": true, "hal": true, "dora": true}
	// cards are those of a line, and the files that it names.
	cards = regexp.MustCompile(`\b[2-9TJQKA][cdhs]\b|\b[a-z0-9]+\.toml\b|条款 [0-9A-Za-z._-]+|\bTCPB-[0-9E]+|\b[A-E] 桌`)
	latin = regexp.MustCompile(`[A-Za-z][A-Za-z-]*`)
	// people are names, and what people write and answer, in a line of a scenario.
	people = regexp.MustCompile(`(?:=|answer )(?:'([^']*)'|([^' ]+))`)
)

// foreign returns the first Latin word in a Chinese text that is neither a name, a provision
// nor the rank of a card.
func foreign(words string, names map[string]bool) string {
	for _, word := range latin.FindAllString(provisions.ReplaceAllString(words, ""), -1) {
		if len(word) == 1 && strings.Contains("AKQJ", word) || names[word] {
			continue
		}
		if strings.Trim(word, "AKQJ-") == "" {
			continue
		}
		return word
	}
	return ""
}

// A line is put into the order and the words of another language, and stays in English
// as it stands.
func TestLinesOfScenarios(t *testing.T) {
	chinese := lang.Printer{Language: lang.Chinese}
	tests := []struct{ line, want string }{
		{"bet box=1 ante=10 pair-plus=5 player=ann", "下注：1 号位，底注 10，对子以上 5，玩家 ann"},
		{"! bet box=1 ante=10 player=ben by=player:ann", "下注：1 号位，底注 10，玩家 ben，由玩家 ann"},
		{"deal box=1 'Qh 6d 4c' dealer='Kd 9c 2s'", "发牌：1 号位 Qh 6d 4c，庄家 Kd 9c 2s"},
		{"report dealt-incorrectly by=dealer", "报告：牌发到了错误的位置，由荷官"},
		{"want refused reason=unfinished clause=3.12", "被拒绝：因为“须先完成上一步”，条款 3.12"},
		{"want line box=2 wager=pair-plus result=win combo=akq-suited pays=200", "结算有此项：2 号位，对子以上，结果 赢，牌型 同花 AKQ，赔付 200"},
		{"want order 1:ante 2:pair-plus", "结算次序：1 号位底注，2 号位对子以上"},
		{"want phase settled", "阶段：已结算"},
		{"draw 'Qh 6d 4c' to=2", "逐张发牌：Qh 6d 4c，发给2 号位"},
	}
	for _, test := range tests {
		script, err := scenario.Parse("t", []byte("# rws-3cp@3 5.8.6: a test\nopen rws-3cp\n"+test.line+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		step := script.Lines()[1]
		if got := line(chinese, &step); got != test.want {
			t.Errorf("%q is put as %q, want %q", test.line, got, test.want)
		}
		if got, want := line(lang.Printer{Language: lang.English}, &step), strings.TrimPrefix(test.line, "want "); got != want {
			t.Errorf("%q is %q in English, want %q", test.line, got, want)
		}
	}
}
