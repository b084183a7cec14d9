package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write docs/openapi.json")

const documentPath = "../../docs/openapi.json"

// The document that people read is the one that the code makes.
func TestTheDocumentIsUpToDate(t *testing.T) {
	s := newSite(t)
	r := s.get("", "/openapi.json")
	if r.StatusCode != 200 {
		t.Fatal(r.Status)
	}
	var made bytes.Buffer
	if err := json.Indent(&made, []byte(r.text), "", "  "); err != nil {
		t.Fatal(err)
	}
	made.WriteByte('\n')
	if *update {
		if err := os.WriteFile(documentPath, made.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(documentPath)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(kept, made.Bytes()) {
		t.Fatal("docs/openapi.json is not what the code makes: run go test ./internal/api -run Document -update, and read the difference")
	}
}
