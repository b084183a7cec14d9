// Package simulation plays a whole house by a number. One seed determines everything: clock,
// shuffles, players and staff of differing temperament, the network between them and the house,
// the store and its faults. Every failure can thus be repeated. The auditor reads the record
// after every command, and every answer is compared with it.
//
// It is made of tests. One house for each of a few seeds is played by go test;
// for a night of it, or for a seed that failed:
//
//	go test ./internal/house/simulation -run TestWholeHouse -timeout 0 -simulation.seeds 100000
//	go test ./internal/house/simulation -run TestWholeHouse -simulation.seed 17 -simulation.rounds 400
//
// TestManyMachines plays a house on three machines in the same way: leases, doors that follow,
// a database that fails over, and messages between them that are lost, late and doubled.
// TestPlantedFaultsAreFound puts faults into it and sees that they are found.
//
//	go test ./internal/house/simulation -run TestManyMachines -timeout 0 -simulation.machines 10000
//	go test ./internal/house/simulation -run TestManyMachines -simulation.seed 17
package simulation
