/** The one alarm of an object, shared by its parts. */
import { expect, test } from "vitest";
import { createSharedAlarm, type AlarmPart } from "./shared-alarm.ts";

type Part = "runs" | "sockets";

const idle: AlarmPart = { nextDue: () => undefined, ring: () => undefined };

function alarmOver(change: Partial<Record<Part, Partial<AlarmPart>>> = {}) {
  const settings: (number | undefined)[] = [];
  const failures: string[] = [];
  const alarm = createSharedAlarm<Part>({
    parts: { runs: { ...idle, ...change.runs }, sockets: { ...idle, ...change.sockets } },
    set: (at) => void settings.push(at),
    now: () => 1_000,
    onFailure: (part, thrown) => void failures.push(`${part} ${String(thrown)}`),
  });
  return { settings, failures, alarm };
}

const broken = (): never => {
  throw new Error("broken");
};

test("runs when the first part wants it, and is set only if that time changes", () => {
  const { alarm, settings } = alarmOver();
  alarm.want("runs", 50);
  alarm.want("sockets", 80);
  alarm.want("sockets", 20);
  alarm.want("sockets", 20);
  alarm.want("sockets", undefined);
  alarm.want("runs", undefined);
  expect(settings).toEqual([50, 20, 50, undefined]);
});

test("a time that an earlier instance requested is neither lost nor delayed", () => {
  const { alarm, settings } = alarmOver({ runs: { nextDue: () => 30 }, sockets: { nextDue: () => 40 } });
  alarm.want("sockets", 90);
  alarm.wantBy("runs", 60);
  alarm.wantBy("runs", 10);
  expect(settings).toEqual([30, 10]);
});

test("keeps a time that a part requests while it is asked for its stored time", () => {
  const { alarm, settings } = alarmOver({
    runs: {
      nextDue: () => {
        alarm.wantBy("runs", 20);
        return 90;
      },
    },
    sockets: { nextDue: () => 40 },
  });
  alarm.want("sockets", 60);
  expect(settings).toEqual([20]);
});

test("when it runs, every part does its due work and returns its next time", () => {
  const { alarm, settings } = alarmOver({
    runs: { nextDue: () => 30 },
    sockets: { nextDue: () => 40, ring: () => 70 },
  });
  alarm.want("sockets", 40);
  alarm.ring();
  alarm.want("sockets", 70);
  expect(settings).toEqual([30, 70]);
});

test("a failing part is retried a minute later; the others continue", () => {
  const { alarm, settings, failures } = alarmOver({
    runs: { nextDue: broken, ring: broken },
    sockets: { ring: () => 90_000 },
  });
  alarm.want("sockets", 90_000);
  alarm.ring();
  expect(settings).toEqual([61_000, 61_000]);
  expect(failures).toEqual(["runs Error: broken", "runs Error: broken"]);
});
