package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The deck of a seed is the one that the program of docs/fair-dealing.md prints, which
// shares nothing with this one.
func TestTheDeckOfASeed(t *testing.T) {
	const want = "2d Qd 3s 8d 2s 9d 8h 9h 5s 4s 9c Kh Th Ac Td 6s Tc 4d As Kd 8s 4h 7h 6c Ad 5h Jd 6d Jc 6h 2c 7c 8c 5d 3c Qh 7d 7s 3h Qc 2h 3d Ah Kc 4c Ts Jh Js 5c 9s Qs Ks"
	var seed [32]byte
	if _, err := hex.Decode(seed[:], []byte("b1603088d774914773841aa6d351c40f77de08a9299e124a6116e15618bdacb4")); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(shuffled(seed), " "); got != want {
		t.Errorf("the deck is %s", got)
	}
}

// A house that deals from another seed than it committed itself to is found out, also
// where everything in its record fits together; so is one that leaves a seed out, and
// one that deals other cards.
func TestTheBotNoticesAnotherDeck(t *testing.T) {
	text, err := os.ReadFile("../../internal/house/proof/testdata/settled.json")
	if err != nil {
		t.Fatal(err)
	}
	const other = "00000000000000000000000000000000000000000000000000000000000000ff"
	fits := fmt.Sprintf("%x", sha256.Sum256([]byte("trey commitment 1\nround 1\nseed "+other+"\ntable A\n")))
	promised := func() promise {
		return promise{commitment{1, "d30f0c99725966b1988054690a7ca9296b17b3b1ed10666a23206a0f995b1386"}, "another number"}
	}
	for name, test := range map[string]struct {
		alter func(p *promise, r *record)
		want  error
	}{
		"as it was":           {func(*promise, *record) {}, nil},
		"without a seed":      {func(p *promise, _ *record) { p.text = "" }, nil},
		"another commitment":  {func(p *promise, _ *record) { p.Hash = fits }, errOtherSeed},
		"another seed":        {func(_ *promise, r *record) { r.Seed.Seed = other }, errOtherSeed},
		"another that fits":   {func(_ *promise, r *record) { r.Seed.Seed, r.Seed.Commitment = other, fits }, errOtherSeed},
		"no seed revealed":    {func(_ *promise, r *record) { r.Seed = nil }, errOtherSeed},
		"my seed left out":    {func(_ *promise, r *record) { r.Seed.Own = r.Seed.Own[1:] }, errNoSeed},
		"my seed changed":     {func(_ *promise, r *record) { r.Seed.Own[0].Text = "another" }, errNoSeed},
		"another's seed lost": {func(_ *promise, r *record) { r.Seed.Own = r.Seed.Own[:1] }, errOtherDeck},
		"two cards changed": {func(_ *promise, r *record) {
			for _, s := range r.Steps {
				if s.Kind == "deal" {
					s.Body.Cards[0], s.Body.Cards[8] = s.Body.Cards[8], s.Body.Cards[0]
				}
			}
		}, errOtherDeck},
	} {
		t.Run(name, func(t *testing.T) {
			var r record
			if err := json.Unmarshal(text, &r); err != nil {
				t.Fatal(err)
			}
			p := promised()
			test.alter(&p, &r)
			if err := p.check("A", "ann", &r); !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
}
