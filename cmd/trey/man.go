package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
)

// manCommand writes the manual pages.
type manCommand struct {
	Folder string `arg:"" type:"path" help:"The folder for the pages."`
}

// Help returns the long help of the command.
func (manCommand) Help() string {
	return `Writes a manual page for each command into a folder, trey.1 and trey-serve.1 and so on, from the same text that --help prints.

Examples:

    $ trey man /usr/local/share/man/man1
    $ trey man . && man ./trey-serve.1`
}

// Run writes the pages.
func (cmd *manCommand) Run(s *streams, ctx *kong.Context) (err error) {
	if err := os.MkdirAll(cmd.Folder, 0o755); err != nil {
		return err
	}
	eachCommand(ctx.Model.Node, func(n *kong.Node) {
		if err == nil {
			err = os.WriteFile(filepath.Join(cmd.Folder, pageName(n)+".1"), manPage(n), 0o644)
		}
	})
	return err
}

// pageName returns the name of a command's page, such as trey-odds-hand.
func pageName(n *kong.Node) string { return strings.ReplaceAll(n.FullPath(), " ", "-") }

// roffText makes text safe in a manual page: no line of it is taken for a request, and a
// minus stays one.
func roffText(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// manPage returns the page of a command.
func manPage(n *kong.Node) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"%s\" \"Trey\"\n", strings.ToUpper(pageName(n)), roffText(strings.Join(strings.Fields(version())[:2], " ")))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roffText(pageName(n)), roffText(strings.TrimSuffix(n.Help, ".")))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n%s\n", roffText(n.FullPath()), roffText(synopsis(n)))
	if n.Detail != "" {
		fmt.Fprint(&b, ".SH DESCRIPTION\n")
		manDetail(&b, n.Detail)
	}
	if len(n.Positional) > 0 {
		fmt.Fprint(&b, ".SH ARGUMENTS\n")
		for _, v := range n.Positional {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roffText(v.Name), roffText(v.Help))
		}
	}
	if len(n.Children) > 0 {
		fmt.Fprint(&b, ".SH COMMANDS\n")
		for _, child := range n.Children {
			if !child.Hidden {
				fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roffText(pageName(child)), roffText(child.Help))
			}
		}
	}
	fmt.Fprint(&b, ".SH OPTIONS\n")
	for _, f := range flagsOf(n) {
		name := "--" + f.Name
		if f.Short != 0 {
			name = "-" + string(f.Short) + ", " + name
		}
		if !f.IsBool() {
			name += "=" + f.FormatPlaceHolder()
		}
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roffText(name), roffText(f.Help))
	}
	if n.Parent != nil {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roffText(pageName(n.Parent)))
	}
	return []byte(b.String())
}

// synopsis returns what follows the name of a command.
func synopsis(n *kong.Node) string {
	words := strings.Fields(strings.TrimPrefix(n.Summary(), n.Path()))
	if len(n.Children) > 0 {
		words = append([]string{"COMMAND"}, words...)
	}
	return strings.Join(words, " ")
}

// manDetail writes the long help of a command: paragraphs, and lines that are indented as
// they are.
func manDetail(b *strings.Builder, detail string) {
	verbatim := false
	for line := range strings.Lines(detail + "\n") {
		line = strings.TrimSuffix(line, "\n")
		if indented := strings.HasPrefix(line, "    "); line != "" && indented != verbatim {
			verbatim = indented
			if verbatim {
				fmt.Fprint(b, ".RS 4\n.nf\n")
			} else {
				fmt.Fprint(b, ".fi\n.RE\n")
			}
		}
		switch {
		case line == "" && !verbatim:
			fmt.Fprint(b, ".PP\n")
		default:
			fmt.Fprintln(b, roffText(strings.TrimPrefix(line, "    ")))
		}
	}
	if verbatim {
		fmt.Fprint(b, ".fi\n.RE\n")
	}
}
