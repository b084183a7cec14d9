package rulebook

import (
	"strconv"
	"strings"

	"trey/internal/web/lang"
	"trey/rules"
	"trey/rules/books"
	"trey/scenario"
	"trey/sentence"
)

// line returns a line of a scenario as a page shows it: in English as it is in the file, in
// other languages translated word by word.
func line(p lang.Printer, step *scenario.Step) string {
	if p.Language == lang.English {
		return strings.TrimPrefix(step.Text, "want ")
	}
	verb, words := step.Verb, step.Words
	if step.Checks && len(words) > 0 {
		verb, words = verb+" "+words[0].Value, words[1:]
	}
	w := wording{p, verb}
	text, ok := p.Script("verbs", verb)
	if !ok {
		text = verb
	}
	for i, word := range words {
		switch {
		case i == 0:
			text += p.T("rules.line-what")
		case word.Key == "" && words[i-1].Key == "box":
			text += " " // the hand of that box
		default:
			text += p.T("rules.line-and")
		}
		if word.Key == "" {
			text += w.bare(word.Value)
		} else {
			text += w.pair(word.Key, word.Value)
		}
	}
	return text
}

// wording puts the words of one line into another language. What it has no words
// for, such as a name, a card or a number, stays as it is.
type wording struct {
	lang.Printer
	verb string
}

// bare returns the text of a word that stands alone.
func (w wording) bare(word string) string {
	switch w.verb {
	case "open":
		if b, err := books.Find(word); err == nil {
			return w.Term(b.Title) + " " + b.Ref()
		}
	case "table":
		return w.T("rules.table", "name", word)
	case "report":
		if _, err := rules.ParseIncident(word); err == nil {
			return w.T("incident." + word)
		}
	case "answer":
		if kind, about, ok := strings.Cut(word, " "); ok {
			return w.remedy(kind, strings.Fields(about))
		}
	case "want outcome":
		return w.T("outcome." + word)
	case "want phase":
		return w.T("console.phase-" + word)
	case "want order", "want dealt", "want shown":
		box, wager, _ := strings.Cut(word, ":")
		if _, err := strconv.Atoi(box); err == nil {
			return w.T("felt.box", "n", box) + w.word("", wager)
		}
	}
	return w.word("", word)
}

// remedy returns the text of one item of an answer: its kind, and its subject.
func (w wording) remedy(kind string, about []string) string {
	text := w.T("remedy." + kind)
	for _, word := range about {
		text += " "
		if key, value, ok := strings.Cut(word, "="); ok && key == "wager" {
			text += w.word("", value)
		} else if ok {
			text += w.pair(key, value)
		} else {
			text += w.word("", word)
		}
	}
	return text
}

// pair returns the text of key=value.
func (w wording) pair(key, value string) string {
	part, of, _ := strings.Cut(key, ".")
	switch part {
	case "ruling":
		if r, err := rules.ParseRuling(of); err == nil {
			return w.T("rules.line-ruling", "question", w.Term(r.Rule().Question), "answer", w.Term(value))
		}
	case "limit", "pay":
		if form, ok := w.Script("keys", part); ok {
			return strings.ReplaceAll(strings.ReplaceAll(form, "%[1]s", w.word("", of)), "%[2]s", value)
		}
	}
	said := value
	switch key {
	case "note", "why", "player", "viewer": // are as they are
		if one, ok := w.Script("words", key+"="+value); ok {
			said = one
		}
	case "rank":
		said = w.Shape(value)
	case "lies":
		said = w.lies(value)
	case "combo":
		if c, err := rules.ParseCombo(value); err == nil {
			said = w.Term(c.Name())
		}
	case "reason":
		if one, ok := w.Script("words", key+"="+value); ok {
			said = one
		} else {
			said = strings.TrimSuffix(w.T("refusal."+value), "。")
		}
	default:
		said = w.word(key, value)
	}
	for _, k := range []string{w.verb + " " + key, key} {
		if form, ok := w.Script("keys", k); ok {
			return strings.ReplaceAll(form, "%s", said)
		}
	}
	return w.word("", key) + " " + said // a wager or a player, and an amount
}

// lies puts how many cards lie where, as PLACE:COUNT or PLACE:COUNT:PLACE.
func (w wording) lies(value string) string {
	parts := strings.Split(value, ",")
	for i, part := range parts {
		words := strings.Split(part, ":")
		if len(words) < 2 {
			continue
		}
		n, err := strconv.Atoi(words[1])
		if err != nil {
			continue
		}
		said := w.N("console.facts-lies", n, "place", w.word("to", words[0]))
		if len(words) == 3 {
			said = w.N("console.facts-meant", n, "place", w.word("to", words[0]), "meant", w.word("to", words[2]))
		}
		parts[i] = strings.TrimSuffix(said, "。")
	}
	return strings.Join(parts, "；")
}

// word returns the text of a value: a word that the language has, or several with signs between
// them.
func (w wording) word(key, value string) string {
	switch key {
	case "by", "role", "entered_by":
		if role, err := rules.ParseRole(value); err == nil {
			return w.T("function." + role.String())
		}
	case "to":
		if _, err := strconv.Atoi(value); err == nil {
			return w.T("felt.box", "n", value)
		}
	}
	for _, k := range []string{w.verb + " " + value, key + "=" + value, value} {
		if said, ok := w.Script("words", k); ok {
			return said
		}
	}
	if wager, err := rules.ParseWager(value); err == nil {
		return w.Term(wager.Name())
	}
	for _, sign := range []struct{ written, said string }{{",", "、"}, {":", " "}, {"/", "/"}} {
		if parts := strings.Split(value, sign.written); len(parts) > 1 {
			for i := range parts {
				parts[i] = w.word(key, parts[i])
			}
			return strings.Join(parts, sign.said)
		}
	}
	return value
}

// local returns a sentence about a scenario with its persons translated too where they have no
// names: staff go by their roles in a scenario, and their notes are words.
func local(p lang.Printer, s sentence.Sentence) sentence.Sentence {
	if p.Language == lang.English {
		return s
	}
	args := make([]any, len(s.Args))
	for i := range s.Args {
		args[i] = localArg(p, s.Args[i])
	}
	return sentence.Sentence{Form: s.Form, Args: args}
}

func localArg(p lang.Printer, arg any) any {
	switch a := arg.(type) {
	case sentence.Sentence:
		return local(p, a)
	case sentence.List:
		items := make([]any, len(a.Items))
		for i := range a.Items {
			items[i] = localArg(p, a.Items[i])
		}
		return sentence.List{Between: a.Between, Items: items}
	case string:
		if note, ok := p.Script("words", "note="+a); ok {
			return note
		}
		if role, err := rules.ParseRole(a); err == nil {
			return p.T("function." + role.String())
		}
	}
	return arg
}
