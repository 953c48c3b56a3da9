package record_test

import (
	"encoding/json"
	"testing"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// A receipt in a record is written with the names of the turn record, whatever else
// the tool's receipt held, and is read back from them.
func TestReceiptsAreWrittenInTheFormOfTheRecord(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		receipt tools.Receipt
		want    string
	}{
		"confirmed": {
			tools.Receipt{Device: "Lamp", Property: "on_off", Before: "off", Value: "on", MS: 90, Outcome: tools.Confirmed, Message: "The lamp is on."},
			`{"device":"Lamp","property":"on_off","value":"on","confirmed":true,"ms":90,"outcome":"confirmed","reason":""}`,
		},
		"asleep": {
			tools.Receipt{Device: "Valve", Property: "setpoint", Outcome: tools.Queued, Reason: "asleep"},
			`{"device":"Valve","property":"setpoint","value":null,"confirmed":false,"ms":0,"outcome":"queued","reason":"asleep"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := record.CallMade{Args: json.RawMessage("{}"), Receipt: (*record.Receipt)(&tt.receipt)}
			text, err := json.Marshal(made.Receipt)
			if err != nil || string(text) != tt.want {
				t.Errorf("%s, %v\nwant %s", text, err, tt.want)
			}
			var back record.Receipt
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatal(err)
			}
			if back.Device != tt.receipt.Device || back.Outcome != tt.receipt.Outcome || back.Done() != tt.receipt.Done() {
				t.Errorf("read back as %+v", back)
			}
		})
	}
}

// Only the stages that were reached are listed, in the order of a turn.
func TestStagesAreThoseThatWereReached(t *testing.T) {
	t.Parallel()
	publish, total := 146.0, 700.0
	got := record.Timings{Total: &total, FirstPublish: &publish}.Stages()
	if len(got) != 2 || got[0] != (record.Stage{Name: "first_publish", MS: 146}) || got[1] != (record.Stage{Name: "total", MS: 700}) {
		t.Errorf("got %v", got)
	}
}
