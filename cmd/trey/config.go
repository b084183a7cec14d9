package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"trey/internal/forward"
	"trey/internal/house"
	"trey/internal/house/plan"
	"trey/internal/printable"
	"trey/internal/store/postgres"
	"trey/internal/tomldoc"
	"trey/rules/variant"
)

// configCommand holds the commands about the configuration file of a house.
type configCommand struct {
	Init  configInitCommand  `cmd:"" help:"Write a complete house.toml to start from, with comments."`
	Check configCheckCommand `cmd:"" help:"List all mistakes in a house.toml, and summarize the house."`
}

// Help returns the long help of the command.
func (configCommand) Help() string {
	return `A house.toml says what trey serve opens: the tables with their rules, limits and pace, the jackpots, the first users, and where the house listens.

Examples:

    $ trey config init > house.toml
    $ trey config check house.toml
    $ trey serve --config house.toml`
}

// configInitCommand writes a plan to start from.
type configInitCommand struct{}

// Help returns the long help of the command.
func (configInitCommand) Help() string {
	return `It writes the house of the demonstration to standard output, with every value that can be set and with what each means. Change what is to differ; what is removed has the value that stands there, except users, jackpots and tables.

Examples:

    $ trey config init > house.toml`
}

// Run writes the file.
func (*configInitCommand) Run(s *streams) error {
	_, err := s.out.Write(plan.Example())
	return err
}

// configCheckCommand checks a plan.
type configCheckCommand struct {
	File  string `arg:"" default:"house.toml" help:"The file to check; house.toml without it."`
	Quiet bool   `short:"q" help:"Print no summary, only mistakes and remarks."`
}

// Help returns the long help of the command.
func (configCheckCommand) Help() string {
	return `Every mistake is printed at once, as file:line:column: what is wrong, and what would be right; also those of the variant files that it names. It also looks at what the file names: whether the record can be kept where database says, whether seal_keys is a file of keys and signing and archive are folders, where something is there, and whether the files of significant_events can be read. trey serve looks at the same before it opens anything. Run it as the user that the house runs as. Where there is a mistake the exit status is 1. A file that cannot be opened makes it 2.

Of a good file it prints what trey serve would open. Warnings are printed last, and leave the exit status 0.

Examples:

    $ trey config check house.toml
    $ trey config check --quiet /etc/trey/house.toml`
}

// Run checks the file.
func (cmd *configCheckCommand) Run(s *streams) error {
	p, remarks, err := readPlan(cmd.File)
	if err != nil {
		return printMistakes(s, err)
	}
	if mistakes, _ := mistakesOutside(cmd.File, p, nil); mistakes != nil {
		return printMistakes(s, mistakes)
	}
	if !cmd.Quiet {
		if err := describe(s.out, p); err != nil {
			return err
		}
		if len(remarks) > 0 {
			fmt.Fprintln(s.out, "\nAccepted with a warning")
		}
		for _, remark := range remarks {
			fmt.Fprintf(s.out, "    %v\n", remark)
		}
		return nil
	}
	for _, remark := range remarks {
		fmt.Fprintln(s.err, remark)
	}
	return nil
}

// mistakesOutside returns what is wrong with a plan beyond its text: places and files that cannot be
// used, and addresses that do not go together. A file is where the plan was read, and overridden names
// the flags that came in the place of its keys. Lasting is whether one of the mistakes is in what is
// written, so that nothing but another text mends it.
func mistakesOutside(file string, p *plan.Plan, overridden map[string]string) (mistakes plan.Errors, lasting bool) {
	note := func(key string, at tomldoc.Pos, written bool, err error) {
		if err == nil {
			return
		}
		lasting = lasting || written
		if flag := overridden[key]; flag != "" {
			mistakes = append(mistakes, &plan.Error{Name: flag, Reason: err.Error()})
			return
		}
		// seal_keys have a place also where no line names it.
		mistakes = append(mistakes, &plan.Error{Name: file, Line: max(1, at.Line), Column: at.Column, Reason: key + ": " + err.Error()})
	}
	server, _ := plan.CheckDatabase(p.Database) // the text was looked at
	if server {
		err := postgres.CheckAddress(p.Database)
		var file *fs.PathError // of a certificate
		note("database", p.DatabasePos, !errors.As(err, &file), err)
		if p.Signing == "" {
			note("database", p.DatabasePos, true, errNoSigning)
		}
	} else {
		note("database", p.DatabasePos, false, checkDatabase(p.Database))
	}
	if err := keysApart(p.Database, p.SealKeys); err != nil {
		note("seal_keys", p.SealKeysPos, true, err)
	} else {
		note("seal_keys", p.SealKeysPos, false, checkSealKeys(p.SealKeys))
	}
	note("signing", p.SigningPos, false, checkFolder(p.Signing))
	note("archive", p.ArchivePos, false, checkFolder(p.Archive))
	if p.Metrics != "" && plan.ListenAlike(p.Listen, p.Metrics) {
		note("metrics", p.MetricsPos, true, fmt.Errorf("%s is taken by the house, which listens at %s: choose another port", p.Metrics, p.Listen))
	}
	if f := p.Forward; f.URL != "" {
		for _, named := range []struct {
			key    string
			at     tomldoc.Pos
			target forward.Target
		}{{"ca", f.CAPos, forward.Target{URL: f.URL, CA: f.CA}}, {"token_file", f.TokenFilePos, forward.Target{URL: f.URL, TokenFile: f.TokenFile}}} {
			_, err := forward.NewSink(named.target)
			note("significant_events."+named.key, named.at, false, err)
		}
	}
	slices.SortStableFunc(mistakes, func(a, b *plan.Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return mistakes, lasting
}

// checkFolder reports why there can be no folder of a name: a file is there, or stands in the path.
// What is not there is made when it is needed.
func checkFolder(name string) error {
	if name == "" {
		return nil
	}
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s cannot be looked at: %w", name, err)
	case !info.IsDir():
		return fmt.Errorf("%s is no folder: name one, or a place where nothing is", name)
	}
	return nil
}

// checkSealKeys reports why a file is none of seal keys. What is not there is made when it is needed.
func checkSealKeys(name string) error {
	if name == "" {
		return nil
	}
	if _, err := readKeys(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// checkDatabase reports why the record of a house cannot be kept in a file: its folder
// must be there and take new files, because the store keeps others beside it. No name
// is no file, and is given to trey serve as --db. It changes no file that is there.
func checkDatabase(name string) error {
	if server, err := plan.CheckDatabase(name); name == "" || server || err != nil {
		return err
	}
	folder := filepath.Dir(name)
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s: create it, or name a file in another", folder)
	case err != nil:
		return fmt.Errorf("the folder %s cannot be looked at: %w", folder, err)
	case !info.IsDir():
		return fmt.Errorf("%s is no folder: name a file in one", folder)
	}
	switch info, err = os.Stat(name); {
	case err == nil:
		if info.IsDir() {
			return fmt.Errorf("%s is a folder: name a file in it, such as %s", name, filepath.Join(name, "house.db"))
		}
		file, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return fmt.Errorf("the file cannot be written to by this user: %w; change its permissions, or name another", err)
		}
		_ = file.Close()
	case !errors.Is(err, fs.ErrNotExist): // a name that is too long, for example
		return fmt.Errorf("there can be no such file: %w; name another", err)
	}
	probe, err := os.CreateTemp(folder, ".trey-check-*")
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("there is no room in the folder %s: %w; make room on its disk, or name a file in another", folder, err)
	case err != nil:
		return fmt.Errorf("the folder %s cannot be written to by this user: %w; change its permissions, or name a file in another", folder, err)
	}
	_ = probe.Close()
	return os.Remove(probe.Name())
}

// readPlan reads the file of a house. The error is a [plan.Errors] with every
// mistake, or says that there is no such file. Names of files in it are relative
// to where it lies itself.
func readPlan(name string) (*plan.Plan, []plan.Remark, error) {
	text, err := readFile(name, "a house.toml", plan.MaxBytes)
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("the configuration cannot be read: %w", err)}
	}
	beside := filepath.Dir(name)
	p, remarks, err := plan.Parse(name, text, func(file string) (string, []byte, error) {
		file = within(beside, file)
		text, err := readFile(file, "a variant", variant.MaxBytes)
		return file, text, err
	})
	if err != nil {
		return nil, nil, err
	}
	if server, _ := plan.CheckDatabase(p.Database); p.Database != "" && !server {
		p.Database = within(beside, p.Database)
	}
	p.SealKeys = within(beside, cmp.Or(p.SealKeys, filepath.Base(keysBeside(name))))
	for _, file := range []*string{&p.Signing, &p.Archive, &p.Forward.TokenFile, &p.Forward.CA} {
		if *file != "" {
			*file = within(beside, *file)
		}
	}
	return p, remarks, nil
}

// within returns the path of a file that is named in another one.
func within(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// printMistakes prints the mistakes of a plan, and returns any other error.
func printMistakes(s *streams, err error) error {
	mistakes := plan.Errors(nil)
	if !errors.As(err, &mistakes) {
		return err
	}
	fmt.Fprintln(s.err, mistakes)
	word := "mistakes"
	if len(mistakes) == 1 {
		word = "mistake"
	}
	fmt.Fprintf(s.err, "trey: %d %s\n", len(mistakes), word)
	return errReported
}

// unusable prints the mistakes of a plan that a command other than config check was
// given. It returns an error of usage: the same command fails again.
func unusable(s *streams, err error) error {
	if err = printMistakes(s, err); errors.Is(err, errReported) {
		return usageError{err}
	}
	return err
}

// describe sums up a plan for people.
func describe(out io.Writer, p *plan.Plan) error {
	t := &outputWriter{out: out}
	money := "real money"
	if p.PlayMoney {
		money = "play money"
	}
	fmt.Fprintf(t, "A house at %s, with %s\n", printable.Escape(p.Listen), money)
	fmt.Fprintf(t, "    Record  %s\n", printable.Escape(cmp.Or(withoutPassword(p.Database), "said by --db")))
	fmt.Fprintf(t, "    Keys    %s\n", printable.Escape(p.SealKeys))
	if p.Forward.URL != "" {
		fmt.Fprintf(t, "    Events  sent to %s\n", printable.Escape(p.Forward.URL))
	}
	if p.Guests.Max > 0 {
		fmt.Fprintf(t, "    Guests  up to %d, with $%s each\n", p.Guests.Max, p.Guests.Money.Display())
	} else {
		fmt.Fprintln(t, "    Guests  none")
	}
	if len(p.Users) == 0 {
		fmt.Fprintln(t, "    Users   none")
	}
	for i, u := range p.Users {
		word := "Users "
		if i > 0 {
			word = "      "
		}
		fmt.Fprintf(t, "    %s  %s, %s\n", word, u.Name, u.Role)
	}
	if jackpots := jackpotsOf(p.Tables); len(jackpots) > 0 {
		fmt.Fprintln(t, "\nJackpots")
		for _, name := range jackpots {
			fmt.Fprintf(t, "    %s\n", name)
		}
	}
	fmt.Fprintln(t, "\nTables")
	width := 0
	for _, one := range p.Tables {
		width = max(width, len(one.Name))
	}
	for _, one := range p.Tables {
		fmt.Fprintf(t, "    %-*s  %s\n", width, one.Name, tableWords(&one))
	}
	return t.err
}

// tableWords sums up a table in a line.
func tableWords(t *house.Table) string {
	words := fmt.Sprintf("%s, %d boxes, ", t.Variant.ID, t.Variant.Boxes)
	if t.Mode == house.Automatic {
		words += "runs by itself"
	} else {
		words += "run by a dealer, cards " + t.Config.Cards.String()
	}
	words += ", from a " + t.Config.Device.String()
	if t.Jackpot != "" {
		words += ", plays for " + t.Jackpot
	}
	return words
}

// jackpotsOf lists the jackpots that the tables play for, in order.
func jackpotsOf(tables []house.Table) []string {
	var names []string
	for i := range tables {
		if name := tables[i].Jackpot; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
