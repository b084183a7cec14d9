// Package api provides the HTTP API of a house: JSON and server-sent events, described by
// an OpenAPI document that is made from the code.
//
// It reads requests strictly, passes them to the house, and answers with what the person
// may know. Package identity identifies the person, the house checks permissions, and the
// engine decides what the rules allow: nothing of that is decided here. Cards leave the
// house only through [table.View] and [table.Redact]. Internal errors and cards that
// nobody has turned yet are never sent.
package api
