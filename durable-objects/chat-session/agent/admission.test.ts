/** A request that cannot be asked about is refused, not accepted. */
import { expect, test } from "vitest";
import { chatSettings } from "../../../test/support/chat-settings.ts";
import { OWNER, turn } from "../../../test/support/chat-turns.ts";
import { plugin } from "../../../test/support/plugins.ts";
import { fail } from "../../../workers/platform/failure.ts";
import { createLogger } from "../../../workers/platform/log.ts";
import { success } from "../../../workers/platform/result.ts";
import { admitRun } from "./admission.ts";

const lines: string[] = [];
const facts = {
  env: {} as Env,
  owner: OWNER,
  sessionId: "s-1",
  now: () => 0,
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
