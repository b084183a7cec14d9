//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trey/internal/notary"
	"trey/internal/steady"
)

// The key that signs is replaced at one machine of a house in a database. A machine that has the
// key before alone signs nothing: it stays a door, or is not opened. With the folder it signs.
func TestAMachineWithTheKeyBeforeSignsNothing(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database)
	writer, door := nodes[0], nodes[1]
	w.guest(writer, 1)
	if only := door.becomes("door").DoorOnly; only != "" {
		t.Fatalf("with all keys it is a door only: %s", only)
	}
	if status, _, logs := rotateKey("--db", database, "--signing", writer.signing); status != exitFound || !strings.Contains(logs, "Stop every machine of the house") {
		t.Errorf("while a house is open: status %d: %s", status, logs)
	}
	if status, _, logs := rotateKey("--db", database); status != exitUsage || !strings.Contains(logs, "name it with --signing") {
		t.Errorf("without a folder: status %d: %s", status, logs)
	}
	first := keyThere(t, writer.signing)
	door.kill()
	writer.kill()
	time.Sleep(2 * time.Second) // the lease runs out
	status, out, logs := rotateKey("--db", database, "--signing", writer.signing)
	key := keyThere(t, writer.signing)
	if status != 0 || key == first || !strings.Contains(out, key) {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	if got, _ := recordedKey(t, database); got != key {
		t.Errorf("the record says that %q signs", got)
	}
	signedBefore := textsIn(t, door.signing)

	// Alone, it is not opened.
	time.Sleep(2 * time.Second)
	alone := launch(t, "--config", w.config, "--db", database, "--signing", door.signing, "--keys", door.keys)
	if status := alone.status(); status == 0 || alone.opened() {
		t.Fatalf("it opens with the key before:\n%s", alone.out)
	}
	if text := alone.logs.String(); !strings.Contains(text, notary.ErrReplaced.Error()) || !strings.Contains(text, "Copy the folder of the key") {
		t.Errorf("it says %s", text)
	}
	// Beside a writer, it stays a door.
	time.Sleep(2 * time.Second)
	again := w.node(database, writer.folder)
	if !again.opened() {
		t.Fatalf("the house does not open:\n%s", again.logs)
	}
	beside := w.node(database, door.folder)
	deadline := time.Now().Add(patience)
	for beside.becomes("door").DoorOnly == "" {
		if time.Now().After(deadline) {
			t.Fatalf("it does not say that its key was replaced:\n%s", beside.logs)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if only := beside.becomes("door").DoorOnly; !strings.Contains(only, notary.ErrReplaced.Error()) {
		t.Errorf("it is a door only because %q", only)
	}
	if now := textsIn(t, door.signing); now != signedBefore {
		t.Errorf("it has signed: %s", now)
	}
	again.kill()
	time.Sleep(2 * time.Second)
	if only := beside.becomes("door").DoorOnly; !strings.Contains(only, notary.ErrReplaced.Error()) {
		t.Errorf("with no writer it is a door only because %q", only)
	}
	// With the folder it takes the place of the writer.
	for _, file := range []string{"signing.key", "signing.pub", "succession", "former", "checkpoint"} {
		info, err := os.Stat(filepath.Join(writer.signing, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(door.signing, file), bytesOf(t, filepath.Join(writer.signing, file)), info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	if only := beside.becomes("writer").DoorOnly; only != "" {
		t.Errorf("the writer is a door only: %s", only)
	}
	beside.kill()
}
