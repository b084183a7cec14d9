package web_test

import (
	"bufio"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// Five hundred people who look on are told of a bet, all of them.
func TestManySpectatorsHearOfABet(t *testing.T) {
	if testing.Short() || slow {
		t.Skip("five hundred connections")
	}
	const many = 500
	f := newFloor(t, unhurried, nil, "classic-1")
	ann := f.visitor()
	ann.post("/tables/classic-1/sit", nil)
	client := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: many}}
	var begun, told sync.WaitGroup
	begun.Add(many)
	told.Add(many)
	var mutex sync.Mutex
	var latest time.Time
	for range many {
		go func() {
			var once, twice sync.Once
			defer once.Do(begun.Done)
			defer twice.Do(told.Done)
			answer, err := client.Get(f.address + "/tables/classic-1/live")
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close() //nolint:errcheck // it has no end
			lines := bufio.NewScanner(answer.Body)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				if !strings.HasPrefix(lines.Text(), "data: ") {
					continue
				}
				once.Do(begun.Done)
				if strings.Contains(lines.Text(), "$5") && strings.Contains(lines.Text(), `"box-1"`) && strings.Contains(lines.Text(), "stake") {
					mutex.Lock()
					latest = time.Now()
					mutex.Unlock()
					return
				}
			}
			t.Error("the connection ended without the bet: ", lines.Err())
		}()
	}
	begun.Wait()
	ann.post("/tables/classic-1/do", url.Values{"do": {"bet:1:ante"}, "chip": {"500"}})
	answered := time.Now()
	told.Wait()
	t.Logf("the last of %d heard of it %v after the bet was answered", many, latest.Sub(answered))
}
