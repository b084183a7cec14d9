package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// healthCommand asks a house whether it takes commands.
type healthCommand struct {
	URL string `arg:"" optional:"" default:"http://127.0.0.1:8080" help:"The address of the house."`
}

// Help returns the long help of the command.
func (healthCommand) Help() string {
	return `Asks a house that runs on this machine whether it takes commands and begins rounds. A container or a supervisor of services runs it again and again.

The exit status is 0 if the house is ready, and 1 if it is not or does not answer within 5 seconds.

Examples:

    $ trey health
    $ trey health http://127.0.0.1:9000`
}

// healthTimeout is the time that a house has for its answer.
const healthTimeout = 5 * time.Second

// Run asks the house.
func (cmd *healthCommand) Run(s *streams) error {
	address, err := houseAddress(cmd.URL)
	if err != nil {
		return err
	}
	ctx, end := context.WithTimeout(context.Background(), healthTimeout)
	defer end()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.JoinPath("readyz").String(), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("the house does not answer: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	var answer struct{ Status, Detail string }
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	if response.StatusCode != http.StatusOK {
		_ = json.Unmarshal(body, &answer) // a proxy may have answered with anything
		if answer.Detail == "" {
			answer.Detail = response.Status
		}
		return fmt.Errorf("the house is not ready: %s", answer.Detail)
	}
	if err := errors.Join(err, json.Unmarshal(body, &answer)); err != nil || answer.Status != "ready" {
		return fmt.Errorf("%s is not a house: it answers %.100q", cmd.URL, body)
	}
	_, err = fmt.Fprintln(s.out, answer.Status)
	return err
}

// houseAddress returns the address of a house that is named on the command line.
func houseAddress(text string) (*url.URL, error) {
	address, err := url.Parse(text)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		return nil, usageError{fmt.Errorf("%q is not the address of a house: write one such as http://127.0.0.1:8080", text)}
	}
	return address, nil
}
