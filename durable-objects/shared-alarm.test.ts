/** The one alarm of an object, shared by its parts. */
import { expect, test } from "vitest";
import { createSharedAlarm } from "./shared-alarm.ts";

function alarmOver(stored: { runs: number | undefined; sockets: number | undefined }) {
  const settings: (number | undefined)[] = [];
  return { settings, alarm: createSharedAlarm({ stored: () => stored, set: (at) => void settings.push(at) }) };
}

const nothing = { runs: undefined, sockets: undefined };

test("it rings when the first part wants it, and is set only when that changes", () => {
  const { alarm, settings } = alarmOver(nothing);
  alarm.want("runs", 50);
  alarm.want("sockets", 80);
  alarm.want("sockets", 20);
  alarm.want("sockets", 20);
  alarm.want("sockets", undefined);
  alarm.want("runs", undefined);
  expect(settings).toEqual([50, 20, 50, undefined]);
});

test("what an earlier life wanted is neither lost nor put off", () => {
  const { alarm, settings } = alarmOver({ runs: 30, sockets: 40 });
  alarm.want("sockets", 90);
  alarm.wantBy("runs", 60);
  alarm.wantBy("runs", 10);
  expect(settings).toEqual([30, 10]);
});

test("what a part wants while it is asked what is stored is not forgotten", () => {
  const settings: (number | undefined)[] = [];
  const alarm = createSharedAlarm<"runs" | "sockets">({
    stored() {
      const runs = 90;
      alarm.wantBy("runs", 20);
      return { runs, sockets: 40 };
    },
    set: (at) => void settings.push(at),
  });
  alarm.want("sockets", 60);
  expect(settings).toEqual([20]);
});

test("after it rang the parts say anew what they want", () => {
  const { alarm, settings } = alarmOver({ runs: 30, sockets: 40 });
  alarm.want("sockets", 40);
  alarm.rang();
  alarm.want("runs", undefined);
  alarm.want("sockets", 30);
  expect(settings).toEqual([30, 30]);
});
