// Package sqltext lets SQL read and write the lines of a record as text: unpacked(line)
// and packed(text). Tests import it for its effect, to look into a record and to change it
// as another hand would. It belongs to no program.
package sqltext

import (
	"database/sql/driver"
	"fmt"

	"modernc.org/sqlite"

	"trey/internal/store/packed"
)

func init() {
	sqlite.MustRegisterDeterministicScalarFunction("unpacked", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		line, ok := args[0].([]byte)
		if !ok {
			return nil, fmt.Errorf("unpacked takes a line as it is kept, not %T", args[0])
		}
		text, err := packed.Unpack(nil, line)
		return string(text), err
	})
	sqlite.MustRegisterDeterministicScalarFunction("packed", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		text, ok := args[0].(string)
		if !ok {
			return nil, fmt.Errorf("packed takes text, not %T", args[0])
		}
		return packed.Pack(nil, []byte(text)), nil
	})
}
