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

// The document names the statuses that every request can meet, and those that a body can.
func TestTheDocumentNamesTheErrors(t *testing.T) {
	s := newSite(t)
	var document struct {
		Paths map[string]map[string]struct {
			RequestBody json.RawMessage            `json:"requestBody"`
			Responses   map[string]json.RawMessage `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal([]byte(s.get("", "/openapi.json").text), &document); err != nil {
		t.Fatal(err)
	}
	for path, operations := range document.Paths {
		for method, operation := range operations {
			want := []string{"401", "403", "421", "429", "500", "503"}
			if operation.RequestBody != nil {
				want = append(want, "400", "413", "415", "422")
			}
			for _, status := range want {
				if operation.Responses[status] == nil {
					t.Errorf("%s %s names no %s", method, path, status)
				}
			}
		}
	}
}
