// Package api is the house's door for programs: JSON over HTTP and server-sent
// events, described by an OpenAPI document that is made from the code.
//
// It reads requests strictly, asks the house, and answers with what the person
// who asks may know. Whoever asks is known by identity, what he may do is decided
// by the house, and what the rules allow by the engine: nothing of that is decided
// here. Cards leave the house only as [table.View] and [table.Redact] give them,
// and what is not made for people's eyes, an error of ours or what nobody turned
// yet, is not told at all.
package api
