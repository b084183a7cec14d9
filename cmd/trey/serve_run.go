package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"trey/internal/admission"
	"trey/internal/notary"
	"trey/internal/store/postgres"
)

// run keeps the house open until a signal stops it, or it cannot go on.
func (s *site) run(streams context.Context, endStreams func(), answers answers, requests *endpoint, out io.Writer, signals <-chan os.Signal) error {
	// Streams end with their context; the autodealer goes on until they have.
	ctx := context.WithoutCancel(streams)
	driving, rest := context.WithCancel(ctx)
	var work sync.WaitGroup
	failed := make(chan error, 3+len(s.witnesses))
	endMetrics, metricsFailed := func() {}, make(<-chan error)
	if s.metrics != nil {
		endMetrics, metricsFailed = s.metrics.serve(streams, onlyLoopback(answers.metrics)), s.metrics.failed
	}
	work.Go(func() {
		if err := s.autodealer.Run(driving); err != nil {
			failed <- err
		}
	})
	work.Go(func() { s.sweep(driving) })
	work.Go(func() {
		ticker := time.NewTicker(softwareInterval)
		defer ticker.Stop()
		s.watchEvents(driving, s.program, ticker.C)
	})
	if s.forwarder != nil {
		work.Go(func() { s.forwarder.Run(driving) })
	}
	if database, ok := s.store.(*postgres.Store); ok {
		work.Go(func() { s.watchDurability(driving, database) })
		work.Go(func() { s.beginWaiting(driving) })
	}
	work.Go(func() { watchKeys(driving, s.plan.SealKeys, s.keys, s.log) })
	work.Go(func() {
		if err := s.sign(driving); err != nil {
			failed <- err
		}
	})
	endRequests := requests.serve(streams, answers.all)
	work.Go(func() {
		select {
		case err := <-requests.failed:
			failed <- err
		case err := <-metricsFailed:
			failed <- err
		case <-driving.Done():
		}
	})
	for _, peer := range s.witnesses {
		work.Go(func() {
			if err := s.askWitness(driving, peer); err != nil {
				failed <- err
			}
		})
	}
	end := func() {
		endStreams()
		endRequests()
		endMetrics()
		rest()
		work.Wait()
		if _, err := s.notary.Sign(); err != nil {
			s.log.Error("what is recorded at the end cannot be signed", "why", err)
		}
	}
	defer end()
	work.Go(func() {
		select {
		case <-s.store.Broken():
			// The house finds out when it writes something, and perhaps it was a
			// session that could not be written.
			why := "a write failed"
			if s.house.CloseDown(ctx) != nil && s.house.Fault() != nil {
				why = s.house.Fault().Error()
			}
			s.keepFailure(why)
		case <-driving.Done():
		}
	})
	select {
	case err := <-failed:
		return s.stopped(err, signals)
	case <-signals:
	}
	return s.closeDown(ctx, out, signals, failed)
}

// answers hold what answers the requests to a house, and those for its metrics without a token.
type answers struct{ all, metrics http.Handler }

// answers returns what answers requests until streams are to end.
func (s *site) answers(closing <-chan struct{}) (a answers) {
	if a.all, a.metrics = s.door(closing); s.reopens {
		a.all = s.inTouch(a.all)
	}
	return a
}

// inTouch answers nothing while the database does not confirm that this process is the
// writer: another may be it, and know more. A process that finds out opens the record
// again.
func (s *site) inTouch(next http.Handler) http.Handler {
	door := newHandover(s.log)
	numbered := s.numbered(next)
	return s.fromMachines(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/healthz":
			next.ServeHTTP(w, r)
		case time.Since(s.confirmedAt()) > outOfTouch && r.URL.Path == "/readyz":
			// The operator who asks here is to find why: nothing may be wrong with this machine.
			why := append([]string{"the database confirms nothing at the moment, so this machine answers nothing"}, s.warnings()...)
			door.refuse(w, strings.Join(why, "; "))
		case time.Since(s.confirmedAt()) > outOfTouch:
			door.away(w, r)
		case r.URL.Path == "/readyz" && r.Method == http.MethodGet:
			s.ready(w, r, next)
		default:
			numbered.ServeHTTP(w, r)
		}
	}))
}

// onlyLoopback answers requests that were sent to a loopback address, and no page of
// another site that has its own name lead here.
func onlyLoopback(next http.Handler) http.Handler {
	control := admission.New(admission.Config{Hosts: []string{admission.Loopback}})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !control.Serves(r) {
			http.Error(w, "ask for the metrics by a loopback address", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// stoppedTimeout is the time for which a stopped house still answers: requests get 503, /readyz
// too, until their senders go elsewhere or come back later.
const stoppedTimeout = 3 * time.Second

// stopped says why the house cannot go on, to those who ask and to its operator. A
// signal makes it short.
func (s *site) stopped(why error, signals <-chan os.Signal) error {
	if s.reopens && takesNoMore(s.store, why) {
		return why
	}
	s.log.Error("the house has to close", "why", why)
	if s.house.Fault() != nil {
		select {
		case <-signals:
		case <-time.After(stoppedTimeout):
		}
	}
	do := advice(why)
	if do == "" {
		do = "\nCorrect that, then start it again."
	}
	do += "\nWhat was acknowledged is in the record, and rounds in play end by their clauses at the next start."
	return fmt.Errorf("the house has to close: %w%s", why, do)
}

// sweep sees to it that people who left are gone.
func (s *site) sweep(ctx context.Context) {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := s.lobby.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("sessions that have ended could not be cleared", "why", err)
			}
		}
	}
}

// sign has what is durable signed once a second while something happens. A checkpoint that cannot be kept is tried again; a record that does
// not continue what was signed is the end.
func (s *site) sign(ctx context.Context) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		switch _, err := s.notary.Sign(); {
		case errors.Is(err, notary.ErrNotContinued):
			return err
		case err == nil:
			if s.unsigned.Swap(false) {
				s.log.Warn("what is recorded is signed again")
			}
		case !s.unsigned.Swap(true):
			s.log.Error("what is recorded cannot be signed", "why", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// askWitness has a witness cosign what the house has signed, as fast as it answers and
// at most once a second. One that does not answer is asked again; one that has seen
// another record of the house is the end.
func (s *site) askWitness(ctx context.Context, peer *notary.Peer) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for complained := false; ; {
		err := s.notary.Ask(ctx, peer)
		switch {
		case errors.Is(err, notary.ErrRefused):
			return err
		case err == nil:
			if complained {
				s.log.Warn("the witness cosigns again", "witness", peer.Name())
			}
			complained = false
		case ctx.Err() == nil && !complained:
			complained = true
			s.log.Warn("the house goes on without a witness", "witness", peer.Name(), "why", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// closeDown lets no new rounds begin and waits for those in play.
func (s *site) closeDown(ctx context.Context, out io.Writer, signals <-chan os.Signal, failed <-chan error) error {
	err := s.house.CloseDown(ctx)
	if err == nil {
		err = s.house.Fault() // it was closing already, because it had stopped
	}
	if err != nil {
		return s.stopped(err, signals)
	}
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for reported := false; ; {
		playing := s.inPlay()
		if len(playing) == 0 {
			break
		}
		if !reported {
			reported = true
			fmt.Fprintf(out, "\nNo new rounds begin. First %s finished; Ctrl-C again stops at once.\n", roundsWords(playing))
		}
		select {
		case <-ticker.C:
		case err := <-failed:
			return s.stopped(err, signals)
		case <-signals:
			fmt.Fprintf(out, "Stopped at once: %s interrupted. The next start applies the rule of the book for interruptions.\n", roundsWords(s.inPlay()))
			return errInterrupted
		}
	}
	if err := s.house.Fault(); err != nil {
		return s.stopped(err, signals)
	}
	fmt.Fprintln(out, "The house is closed, and every round is finished.")
	return nil
}

// inPlay lists the tables on which bets lie.
func (s *site) inPlay() []string {
	return slices.DeleteFunc(s.house.Tables(), func(name string) bool {
		state, err := s.house.Table(name)
		return err != nil || state.OnLayout() == 0
	})
}

// roundsWords counts the rounds in play and says where they are, up to a few.
func roundsWords(tables []string) string {
	const most = 5
	if len(tables) == 1 {
		return "the round at " + tables[0] + " is"
	}
	where := strings.Join(tables[:min(most, len(tables))], ", ")
	if len(tables) > most {
		where += " and elsewhere"
	}
	return fmt.Sprintf("the %d rounds at %s are", len(tables), where)
}
