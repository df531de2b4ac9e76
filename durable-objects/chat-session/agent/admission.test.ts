/** A request that cannot be asked about is refused, not accepted. */
import { expect, test } from "vitest";
import { chatSettings } from "../../../test/support/chat-settings.ts";
import { OWNER, turn } from "../../../test/support/chat-turns.ts";
import { createManualClock } from "../../../test/support/manual-clock.ts";
import { plugin } from "../../../test/support/plugins.ts";
import { fail } from "../../../workers/platform/failure.ts";
import { createLogger } from "../../../workers/platform/log.ts";
import { success } from "../../../workers/platform/result.ts";
import { ADMISSION_TIME_LIMIT_MS, admitRun } from "./admission.ts";

const clock = createManualClock();
const lines: string[] = [];
const facts = {
  env: {} as Env,
  owner: OWNER,
  sessionId: "s-1",
  now: () => 0,
  after: clock.after,
  log: createLogger({}, (_, line) => void lines.push(line)),
};
const gate = plugin("gate", { getRequestAdmission: () => fail("forbidden", "Not today") });

test("while the settings cannot be loaded a message is a 503: no plugin's gate is passed unasked [OR-154]", async () => {
  const load = () => Promise.reject(new Error("no signing seed"));
  const refused = await admitRun({ loaded: undefined, load }, turn("go"), facts);
  expect(refused).toMatchObject({ ok: false, error: { code: "unavailable" } });
  expect(JSON.stringify(refused)).not.toContain("seed");
  expect(lines.join()).toContain("settings-unavailable");
});

test("the gate is asked as soon as they are loaded, and nobody when there is none [OR-154]", async () => {
  const gated = chatSettings({ plugins: [gate] });
  const load = async () => gated;
  expect(await admitRun({ loaded: undefined, load }, turn("go"), facts)).toMatchObject({ ok: false });
  const open = chatSettings();
  expect(admitRun({ loaded: open, load }, turn("go"), facts)).toBeUndefined();
  expect(await admitRun({ loaded: undefined, load: async () => open }, turn("go"), facts)).toEqual(success(null));
});

test("a gate that hangs is a 503 after 10 s, not before, and leaves no timer [OR-154]", async () => {
  expect(ADMISSION_TIME_LIMIT_MS).toBe(10_000);
  const hanging = plugin("slow-gate", { getRequestAdmission: () => new Promise(() => undefined) });
  const asked = admitRun({ loaded: chatSettings({ plugins: [hanging] }), load: unloadable }, turn("go"), facts);
  let admitted: unknown;
  void asked?.then((result) => (admitted = result));
  clock.advance(9_999);
  await Promise.resolve();
  expect(admitted).toBeUndefined();
  clock.advance(1);
  expect(await asked).toMatchObject({ ok: false, error: { code: "unavailable" } });
  expect(lines.at(-1)).toContain("slow-gate");
  expect(clock.pending).toBe(0);
});

const unloadable = (): Promise<never> => Promise.reject(new Error("already loaded"));
