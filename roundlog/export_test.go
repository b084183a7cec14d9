package roundlog

// Chain is the hash that chains a line.
var Chain = chain
