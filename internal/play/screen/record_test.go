package screen

import (
	"errors"
	"strings"
	"testing"
)

func TestRecordIsShown(t *testing.T) {
	h := host(1)
	var fail error
	long := "/home/somebody/" + strings.Repeat("a-directory-with-a-name/", 4) + "mbs-3pictures-000001.json"
	h.Record = func(string, int, []byte) (string, error) { return long, fail }
	m := begin(t, h, "mbs-3pictures", 0)
	m.presses("enter", "d", "v", "L")
	content := m.View().Content
	if !strings.Contains(content, "trey replay") || !strings.Contains(content, "-000001.json") {
		t.Errorf("the record is not named:\n%s", content)
	}
	if err := fits(m); err != nil {
		t.Error(err)
	}
	fail = errors.New("disk full")
	m.presses("n", "enter", "d", "v")
	if content := m.View().Content; !strings.Contains(content, "disk full") {
		t.Errorf("the failure is not said:\n%s", content)
	}
	if err := fits(m); err != nil {
		t.Error(err)
	}
}
