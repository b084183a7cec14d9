package main

import "slices"

// helpCommand shows help as a word instead of a flag.
type helpCommand struct {
	Command []string `arg:"" optional:"" passthrough:"" help:"The command, such as settle or odds hand."`
}

// Help returns the long help of the command.
func (helpCommand) Help() string {
	return `Without a command it lists all of them. "trey help settle" is "trey settle --help".

Examples:

    $ trey help
    $ trey help settle
    $ trey help odds hand`
}

// Run runs the program again with the flag for help.
func (cmd *helpCommand) Run(s *streams) error {
	args := append(slices.Clone(cmd.Command), "--help")
	if status := run(args, s.in, s.rawOut, s.rawErr); status != 0 {
		panic(exit(status))
	}
	return nil
}
