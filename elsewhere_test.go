package trey_test

import (
	"os"
	"testing"

	"golang.org/x/tools/go/packages"

	"trey/internal/steady"
)

// What is not for Linux alone fits together on other systems too, with all that it imports. The
// types are checked and nothing is compiled, which would take ten times as long.
func TestTypesFitOnOtherSystems(t *testing.T) {
	steady.Detail(t)
	for _, system := range []string{"windows", "darwin"} {
		t.Run(system, func(t *testing.T) {
			found, err := packages.Load(&packages.Config{
				Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
					packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
				Env: append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
			}, "./...")
			if err != nil {
				t.Fatal(err)
			}
			if len(found) < 80 {
				t.Errorf("found only %d packages", len(found))
			}
			packages.Visit(found, nil, func(p *packages.Package) {
				for _, e := range p.Errors {
					t.Errorf("%s: %v", p.PkgPath, e)
				}
			})
		})
	}
}
