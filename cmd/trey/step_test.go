package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// killedProgram is the program that is killed after the step which the environment names under the
// same name.
const killedProgram = "trey-killed"

func mainUntilKilled() {
	cheapen()
	step := os.Getenv(killedProgram)
	afterStep = func(done string) {
		if done == step {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				_ = self.Kill()
			}
			select {} // the end comes when it comes
		}
	}
	main()
}

// killAfter runs the program with arguments and has it killed after a step. It returns what was
// printed, and no error where the program came to its end before.
func killAfter(t *testing.T, step, input string, args ...string) (string, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	killed := exec.Command(self)
	killed.Args = append([]string{killedProgram}, args...)
	killed.Env = append(os.Environ(), killedProgram+"="+step)
	killed.Stdin = strings.NewReader(input)
	out, err := killed.CombinedOutput()
	return string(out), err
}
