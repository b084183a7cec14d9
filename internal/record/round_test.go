package record_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"trey/internal/record"
	"trey/jackpot"
	"trey/table"
)

// begun are values that stand in a record beside its events, each field of the engine's
// type set, as they always were written.
var begun = map[string]string{
	"equipment": `{"device":"shuffler","cards":"virtual","chips":true}`,
	"carried":   `{"down":true,"down_option":"close","suspended":[1009,1009],"area_max":1008,"warned":["warned \u003cé\u003e","warned \u003cé\u003e"],"restricted":["restricted \u003cé\u003e","restricted \u003cé\u003e"]}`,
	"meter":     `{"opened":true,"terms":{"bet":1003,"reset":1005,"rate":{"num":1003,"den":1003},"ceiling":1007,"overflow":"on-top","verify_from":1011},"next_terms":{"bet":1003,"reset":1005,"rate":{"num":1003,"den":1003},"ceiling":1007,"overflow":"on-top","verify_from":1011},"meter":1005,"reserve":1007,"remainder":1009,"denominator":1011,"overflow_since_hit":1018,"hits_paid":1009,"undone":[1006,1006],"latest_paid":{"at_ms":1005,"sequence":1008},"down":true,"registered":1010,"rounds":[{"id":{"table":"table \u003cé\u003e","round":"round \u003cé\u003e"},"bets":[{"count":1005,"bet":1003,"rate":{"num":1003,"den":1003},"hits_paid":1009},{"count":1005,"bet":1003,"rate":{"num":1003,"den":1003},"hits_paid":1009}],"dealt":{"at_ms":1005,"sequence":1008},"determined":true},{"id":{"table":"table \u003cé\u003e","round":"round \u003cé\u003e"},"bets":[{"count":1005,"bet":1003,"rate":{"num":1003,"den":1003},"hits_paid":1009},{"count":1005,"bet":1003,"rate":{"num":1003,"den":1003},"hits_paid":1009}],"dealt":{"at_ms":1005,"sequence":1008},"determined":true}],"hits":[{"id":{"table":"table \u003cé\u003e","round":"round \u003cé\u003e","box":1003},"dealt":{"at_ms":1005,"sequence":1008},"status":"open","paid":1004,"payment":{"number":1006,"from_house":1010,"reset_by_house":1014,"reset_from_reserve":1018,"overflow":1008,"kept_registered":true}},{"id":{"table":"table \u003cé\u003e","round":"round \u003cé\u003e","box":1003},"dealt":{"at_ms":1005,"sequence":1008},"status":"open","paid":1004,"payment":{"number":1006,"from_house":1010,"reset_by_house":1014,"reset_from_reserve":1018,"overflow":1008,"kept_registered":true}}],"unverified":[{"hit":{"table":"table \u003cé\u003e","round":"round \u003cé\u003e","box":1003},"winner":"winner \u003cé\u003e","amount":1006,"held":true,"payment":{"number":1006,"from_house":1010,"reset_by_house":1014,"reset_from_reserve":1018,"overflow":1008,"kept_registered":true}},{"hit":{"table":"table \u003cé\u003e","round":"round \u003cé\u003e","box":1003},"winner":"winner \u003cé\u003e","amount":1006,"held":true,"payment":{"number":1006,"from_house":1010,"reset_by_house":1014,"reset_from_reserve":1018,"overflow":1008,"kept_registered":true}}],"totals":{"opening_meter":1013,"opening_reserve":1015,"stakes":1006,"stakes_returned":1015,"contributions":1013,"overflow":1008,"taken_from_meter":1016,"taken_from_reserve":1018,"made_good_by_house":1018,"reset_by_house":1014,"reset_from_reserve":1018,"paid_from_meter":1015,"paid_by_house":1013,"recovered_to_meter":1018,"recovered_by_house":1018,"reset_returned":1014,"meter_to_reserve":1016,"meter_adjustments":1017,"reserve_adjustments":1019}}`,
}

// TestWhatARoundBeginsWith holds that what stands in a record beside its events is written
// as it always was, whatever the engine calls its fields, and that nothing of it is lost.
func TestWhatARoundBeginsWith(t *testing.T) {
	var config table.Config
	var carried table.Carried
	var meter jackpot.State
	for _, v := range []any{&config, &carried, &meter} {
		fill(reflect.ValueOf(v).Elem(), "")
	}
	for name, test := range map[string]struct{ stored, engine, back any }{
		"equipment": {record.EquipmentOf(config), config, record.EquipmentOf(config).Engine()},
		"carried":   {record.CarriedOf(carried), carried, record.CarriedOf(carried).Engine()},
		"meter":     {record.MeterOf(meter), meter, record.MeterOf(meter).Engine()},
	} {
		text, err := json.Marshal(test.stored)
		if err != nil || string(text) != begun[name] {
			t.Errorf("%s was\n%s\nand is\n%s, %v", name, begun[name], text, err)
		}
		if !reflect.DeepEqual(test.back, test.engine) {
			t.Errorf("%s loses something: %+v is %+v", name, test.engine, test.back)
		}
		read := reflect.New(reflect.TypeOf(test.stored))
		if err := json.Unmarshal(text, read.Interface()); err != nil || !reflect.DeepEqual(read.Elem().Interface(), test.stored) {
			t.Errorf("%s is read as %+v, %v", name, read.Elem(), err)
		}
	}
}
