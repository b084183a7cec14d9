// Command lint finds mistakes in the Go of this module, by the checks of staticcheck, and switches
// over an enum of ours that lack a member.
//
//	go run ./scripts/lint ./...
//
// It is one program, because that of staticcheck keeps what it found about a package until the package
// changes. The program that comes with the check of switches reads all packages each time.
package main

import (
	"log"
	"os"

	"github.com/nishanths/exhaustive/passes/exhaustive"
	"honnef.co/go/tools/lintcmd"
	"honnef.co/go/tools/lintcmd/version"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

// enums selects the switches that are checked. Only our own enums are closed. A default is a
// decision that a reviewer sees; a switch without one must list every member, but for the counters
// at an enum's end, which are named num....
var enums = map[string]string{"d": "true", "typeonly": "^trey/", "constignore": `\.num[A-Z]\w*$`}

func main() { os.Exit(lint(os.Args[1:])) }

// lint prints what it finds in the packages, and returns the status for it.
func lint(arguments []string) int {
	for name, value := range enums {
		if err := exhaustive.Analyzer.Flags.Set(name, value); err != nil {
			log.Print(err)
			return 2
		}
	}
	command := lintcmd.NewCommand("lint")
	command.SetVersion(version.Version, version.MachineVersion)
	command.ParseFlags(arguments)
	command.AddAnalyzers(simple.Analyzers...)
	command.AddAnalyzers(staticcheck.Analyzers...)
	command.AddAnalyzers(stylecheck.Analyzers...)
	command.AddAnalyzers(unused.Analyzer)
	command.AddBareAnalyzers(exhaustive.Analyzer)
	return command.Execute()
}
