module trey

go 1.26
