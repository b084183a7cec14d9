// Package tree holds the Merkle tree over the transactions of a house: what a leaf
// says, how parts of it are opened without the rest, and how roots and proofs follow
// from the hashes that a store keeps. It is pure.
//
// The tree is that of RFC 6962, with SHA-256. Leaf 0 is the house's [Origin]; every
// transaction is the leaf of its number. What is signed of a tree is a checkpoint
// (c2sp.org/tlog-checkpoint), and what is served of it are tiles of height 8
// (c2sp.org/tlog-tiles).
package tree
