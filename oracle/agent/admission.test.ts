/** A message that a plugin's gate cannot check is refused. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../../scripts/run-command.ts";
import { chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn } from "../../test/support/oracle/chat-turns.ts";
import { createManualClock } from "../../test/support/clocks/manual-clock.ts";
import { plugin } from "../../test/support/plugins/small-plugins.ts";
import { admit, refuse, type RequestAdmission } from "../framework/admission.ts";
import { fail, type FailureCode } from "../../platform/failure.ts";
import { wireMeaningOf } from "../../platform/http/error-bodies.ts";
import { createLogger } from "../../platform/log.ts";
import { success } from "../../platform/result.ts";
import { ADMISSION_TIME_LIMIT_MS, admitRun } from "./admission.ts";

const clock = createManualClock();
const lines: string[] = [];
const facts = {
  env: {} as Env,
  owner: OWNER,
  sessionId: "s-1",
  runId: "s-1.run-1",
  ordinal: 1,
  readDelegation: async () => null,
  isRevoked: async () => false,
  reports: { asks: () => undefined, admitted: () => undefined, declined: () => undefined },
  now: () => 0,
  after: clock.after,
  log: createLogger({}, (_, line) => void lines.push(line)),
};
const gate = plugin("gate", { getRequestAdmission: () => fail("forbidden", "Not today") });

test("a message is a 503 while the settings cannot be loaded: every gate must be asked [OR-154]", async () => {
  const load = () => Promise.reject(new Error("no signing seed"));
  const refused = await admitRun({ loaded: undefined, load }, turn("go"), facts);
  expect(refused).toMatchObject({ ok: false, error: { code: "unavailable" } });
  expect(JSON.stringify(refused)).not.toContain("seed");
  expect(lines.join()).toContain("settings-unavailable");
});

test("a message is accepted once the settings are loaded and every gate, if there is one, admits it [OR-154]", async () => {
  const gated = chatSettings({ plugins: [gate] });
  const load = async () => gated;
  expect(await admitRun({ loaded: undefined, load }, turn("go"), facts)).toMatchObject({ ok: false });
  const open = chatSettings();
  expect(admitRun({ loaded: open, load }, turn("go"), facts)).toBeUndefined();
  expect(await admitRun({ loaded: undefined, load: async () => open }, turn("go"), facts)).toEqual(success(null));
});

test("a gate that hangs for 10 s is a 503, and leaves no timer [OR-154]", async () => {
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

describe("a message is accepted only if the gate's answer admits it [OR-178]", () => {
  const ask = (answer: unknown, env = {} as Env) => {
    const asked = plugin("asked", { getRequestAdmission: async () => answer as RequestAdmission });
    return admitRun({ loaded: chatSettings({ plugins: [asked] }), load: unloadable }, turn("go"), { ...facts, env });
  };

  test.each([
    [undefined],
    [null],
    [false],
    [true],
    [{ nonsense: 1 }],
    [{ ok: "true" }],
    [{ ok: false }],
    [{ ok: false, error: "no" }],
    [{ ok: false, error: { code: "teapot", message: "No" } }],
    [{ ok: false, error: { code: "forbidden" } }],
    [{ ok: false, error: { code: "forbidden", message: "" } }],
  ])("fails the request and logs the plugin's name when a gate returns %j", async (answer) => {
    await expect(ask(answer)).rejects.toThrow("getRequestAdmission returned neither");
    expect(lines.at(-1)).toContain("admission-failed");
    expect(lines.at(-1)).toContain('"plugin":"asked"');
  });

  test("admit() admits, and refuse() has its code, status and details", async () => {
    expect(await ask(admit())).toEqual(success(null));
    expect(await ask({ ok: true })).toEqual(success(null));
    const refused = await ask(refuse("payment_required", "Please top up", { reason: "no_credits", retryAfter: 60 }));
    expect(refused).toEqual(fail("payment_required", "Please top up", { reason: "no_credits", retryAfter: 60 }));
  });

  test("a refusal contains no secret of the environment", async () => {
    const env = { BANK_TOKEN: "tok-0123456789abcdef" } as unknown as Env;
    const refused = await ask(refuse("forbidden", "Failed with tok-0123456789abcdef"), env);
    expect(refused).toMatchObject({ ok: false, error: { message: "Failed with [BANK_TOKEN]" } });
  });

  test("docs/plugins/guide/turns.md and the editor list every code with its status", () => {
    const files = ["docs/plugins/guide/turns.md", "oracle/framework/admission.ts"].map((file) =>
      readFileSync(join(projectRoot, file), "utf8"),
    );
    const union = [...(files[1] ?? "").matchAll(/^ {2}\| "(\w+)"$/gm)].map(([, code = ""]) => code);
    expect(union).toHaveLength(14);
    for (const text of files) {
      // The page has several tables; this one lists codes.
      const stated = [...text.matchAll(/`(\w+)` +(?:\| )?(\d{3})\b/g)].flatMap(([, code = "", status]) =>
        union.includes(code) ? [`${code} ${status}`] : [],
      );
      const sent = union.map((code) => `${code} ${wireMeaningOf(code as FailureCode).status}`);
      expect(stated.toSorted()).toEqual(sent.toSorted());
    }
  });
});

const unloadable = (): Promise<never> => Promise.reject(new Error("already loaded"));
