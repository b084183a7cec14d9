package felt_test

import (
	"os"
	"strings"
	"testing"

	"trey/internal/web/felt"
	"trey/rules/books"
)

// Each book has a felt of its own colours, so that players tell its tables from others.
func TestEveryBookHasItsColours(t *testing.T) {
	sheet, err := os.ReadFile("felt.css")
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]string{}
	for _, b := range books.All() {
		class := felt.ColorClass(b)
		switch {
		case class == "":
			t.Errorf("%s has the colours of the site: name a class for it in colorClasses of felt.go", b.Ref())
		case taken[class] != "":
			t.Errorf("%s has the felt of %s, %s: name another class in colorClasses of felt.go", b.Ref(), taken[class], class)
		case !strings.Contains(string(sheet), "\n."+class+" {"):
			t.Errorf("felt.css has no colours for .%s, the felt of %s", class, b.Ref())
		}
		taken[class] = b.Ref()
	}
}
