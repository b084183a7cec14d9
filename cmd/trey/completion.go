package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCommand prints what makes a shell complete the words of a trey command.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// Help returns the long help of the command.
func (completionCommand) Help() string {
	return `Prints a script for a shell. After the shell has read it, the Tab key completes commands, flags, and the values of a flag that has a fixed list of them.

Examples:

    $ source <(trey completion bash)
    $ trey completion bash > /etc/bash_completion.d/trey
    $ trey completion zsh > ~/.trey-completion && echo 'source ~/.trey-completion' >> ~/.zshrc
    $ trey completion fish > ~/.config/fish/completions/trey.fish`
}

// Run prints the script.
func (cmd *completionCommand) Run(s *streams, ctx *kong.Context) error {
	out := &outputWriter{out: s.out}
	if cmd.Shell == "fish" {
		fishCompletion(out, ctx.Model.Node)
	} else {
		bashCompletion(out, ctx.Model.Node, cmd.Shell == "zsh")
	}
	return out.err
}

// eachCommand calls yield for a command and all commands below it that are not hidden.
func eachCommand(n *kong.Node, yield func(*kong.Node)) {
	yield(n)
	for _, child := range n.Children {
		if !child.Hidden {
			eachCommand(child, yield)
		}
	}
}

// values returns the values of which a flag or an argument takes one, nil if it takes any.
func values(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}

// flagsOf returns the flags that a command accepts, its own last.
func flagsOf(n *kong.Node) (flags []*kong.Flag) {
	for _, group := range n.AllFlags(true) {
		flags = append(flags, group...)
	}
	return flags
}

// completed returns the words that can follow a command.
func completed(n *kong.Node) (words []string) {
	for _, child := range n.Children {
		if !child.Hidden {
			words = append(words, child.Name)
		}
	}
	for _, v := range n.Positional {
		words = append(words, values(v)...)
	}
	for _, f := range flagsOf(n) {
		words = append(words, "--"+f.Name)
	}
	return words
}

// bashCompletion prints a script for bash, which zsh reads too once it has been told to.
func bashCompletion(out *outputWriter, root *kong.Node, zsh bool) {
	if zsh {
		fmt.Fprint(out, "autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && bashcompinit\n")
	}
	fmt.Fprint(out, `_trey() {
	local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=trey choices= i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case "$command ${COMP_WORDS[i]}" in
`)
	var paths []string
	eachCommand(root, func(n *kong.Node) {
		if n.Parent != nil {
			paths = append(paths, `"`+n.FullPath()+`"`)
		}
	})
	fmt.Fprintf(out, "\t\t%s) command=\"$command ${COMP_WORDS[i]}\" ;;\n\t\tesac\n\tdone\n\tcase \"$command $previous\" in\n", strings.Join(paths, "|"))
	eachCommand(root, func(n *kong.Node) {
		for _, f := range flagsOf(n) {
			switch {
			case f.IsBool():
			case values(f.Value) != nil:
				fmt.Fprintf(out, "\t\"%s --%s\") COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", n.FullPath(), f.Name, strings.Join(values(f.Value), " "))
			default: // a file, or what nobody can guess: the shell completes files by itself
				fmt.Fprintf(out, "\t\"%s --%s\") COMPREPLY=(); return ;;\n", n.FullPath(), f.Name)
			}
		}
	})
	fmt.Fprint(out, "\tesac\n\tcase \"$command\" in\n")
	eachCommand(root, func(n *kong.Node) {
		fmt.Fprintf(out, "\t\"%s\") choices=\"%s\" ;;\n", n.FullPath(), strings.Join(completed(n), " "))
	})
	fmt.Fprint(out, "\tesac\n\tCOMPREPLY=($(compgen -W \"$choices\" -- \"$cur\"))\n}\ncomplete -o default -F _trey trey\n")
}

// fishCompletion prints a script for fish.
func fishCompletion(out *outputWriter, root *kong.Node) {
	fmt.Fprint(out, "function __trey_command\n\tset -l command trey\n\tfor word in (commandline -opc)[2..-1]\n\t\tswitch \"$command $word\"\n\t\tcase")
	eachCommand(root, func(n *kong.Node) {
		if n.Parent != nil {
			fmt.Fprintf(out, " '%s'", n.FullPath())
		}
	})
	fmt.Fprint(out, "\n\t\t\tset command \"$command $word\"\n\t\tend\n\tend\n\techo $command\nend\n")
	eachCommand(root, func(n *kong.Node) {
		at := fmt.Sprintf(`complete -c trey -n 'test (__trey_command) = "%s"'`, n.FullPath())
		for _, child := range n.Children {
			if !child.Hidden {
				fmt.Fprintf(out, "%s -f -a %s -d %s\n", at, child.Name, fishQuoted(child.Help))
			}
		}
		for _, v := range n.Positional {
			for _, value := range values(v) {
				fmt.Fprintf(out, "%s -f -a %s\n", at, value)
			}
		}
		for _, f := range flagsOf(n) {
			fmt.Fprintf(out, "%s -l %s -d %s", at, f.Name, fishQuoted(f.Help))
			switch {
			case f.IsBool():
			case values(f.Value) != nil:
				fmt.Fprintf(out, " -x -a '%s'", strings.Join(values(f.Value), " "))
			default:
				fmt.Fprint(out, " -r -F")
			}
			fmt.Fprintln(out)
		}
	})
}

func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
