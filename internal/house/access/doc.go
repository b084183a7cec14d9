// Package access says who may do what in the house: the roles, the permissions,
// and the one matrix that joins them.
//
// A role is the function for which a person is employed or admitted. Roles do not inherit: a
// cell of the matrix is set or it is not, and the whole of it is one literal in matrix.go. Only
// what the rule books themselves let a higher function do in a lower one (rws-3cp@3 1.13,
// mbs-3pictures@2 6.2) is repeated there.
//
// The matrix decides whether somebody may ask. The engine still decides whether the rules of
// the table allow it at this moment, and which function must answer a question. It receives the
// function from [Role.AtTable].
//
// The package is pure. It knows no password, no session and no request; who
// somebody is has been found out before.
package access
