/** Each setting of a deployment, changed and observed. */
import { expect, test } from "vitest";
import { success } from "../../../platform/result.ts";
import { INVALID, loggedIn, pastBudget, phone, UNAVAILABLE } from "../../../test/support/ussd/caller.ts";
import { createUssdGateway, type GatewayOptions } from "../../../test/support/ussd/sessions.ts";
import { LANGUAGES } from "../texts/dictionary.ts";

const RESUME = "9. Continue where you left off";

/** The first screen of the next call of a phone that dropped at its e-mail this many milliseconds ago. */
async function redialAfter(milliseconds: number, rules: GatewayOptions["rules"]) {
  const gateway = await createUssdGateway(rules === undefined ? {} : { rules });
  const caller = phone(gateway, "a");
  await caller.dial();
  await caller.type("2", "2", "John Doe");
  await gateway.settled();
  gateway.clock.advance(milliseconds);
  return (await phone(gateway, "b").dial()).body;
}

test("the lifetime of a session [PH-77, PH-93]", async () => {
  const gateway = await createUssdGateway({ rules: { lifetimeMs: 30_000 } });
  await gateway.post({ text: "" });
  gateway.clock.advance(29_999);
  expect(await gateway.session("s1").describe(false)).not.toBeNull();
  gateway.clock.advance(1);
  expect(await gateway.session("s1").describe(false)).toBeNull();
});

test("how long a dropped session can be resumed; 0 is never [PH-79]", async () => {
  expect(await redialAfter(59_999, { resumeWindowMs: 60_000 })).toContain(RESUME);
  expect(await redialAfter(60_000, { resumeWindowMs: 60_000 })).not.toContain(RESUME);
  expect(await redialAfter(0, { resumeWindowMs: 0 })).not.toContain(RESUME);
});

test("the assumed text mode of gateways, and the window in which an equal input is a repetition [PH-29, PH-31]", async () => {
  for (const [replayWindowMs, outcome] of [
    [5_000, "replayed"],
    // A gateway that sends everything would have repeated the request.
    [2_000, "answered"],
  ] as const) {
    const gateway = await createUssdGateway({ rules: { replayWindowMs, textMode: "latest" } });
    for (const text of ["", "2"]) await gateway.post({ text });
    gateway.clock.advance(3_000);
    expect((await gateway.post({ text: "2" })).outcome).toBe(outcome);
  }
});

test("the language of phones that chose none; the two END texts are English [PH-65, PH-67]", async () => {
  const gateway = await createUssdGateway({ rules: { defaultLanguage: "pt" } });
  expect((await gateway.post({ text: "" })).body).toContain("Bem-vindo");
  expect(await gateway.post({ text: "1", phoneNumber: "+260971239999" })).toMatchObject(INVALID);
  gateway.breakStorage("s1");
  expect(await gateway.post({ text: "1" })).toMatchObject(UNAVAILABLE);
});

test("the size of a screen [PH-68]", async () => {
  const shown = async (septets: number) => {
    const gateway = await createUssdGateway({ septets });
    await gateway.post({ text: "" });
    const { body } = await gateway.post({ text: "1*1" });
    expect(body.length + "CON ".length).toBeLessThanOrEqual(septets);
    return body.length;
  };
  expect(await shown(182)).toBeGreaterThan(await shown(100));
});

test("how long a reply waits for a lookup, and for the oracle [PH-40, PH-46]", async () => {
  const gateway = await createUssdGateway({ replyBudgetMs: 50, oracleBudgetMs: 300 });
  const { caller } = await loggedIn(gateway);
  const since = gateway.clock.now();
  const release = gateway.domains.hold();
  await caller.type("3");
  expect((await pastBudget(gateway, 10, caller.type("2", "abc123"))).body).toMatch(/^Please wait/);
  expect(gateway.clock.now() - since).toBe(50);
  release();
  await caller.type("1");
  gateway.oracle.answers = { state: "running" };
  const asked = gateway.clock.now();
  expect((await pastBudget(gateway, 10, caller.type("0", "3", "hello oracle"))).body).toMatch(/^Still looking/);
  expect(gateway.clock.now() - asked).toBe(300);
});

test("the daily limit of questions and the accounts of a phone are shown as messages [PH-48, PH-54]", async () => {
  const gateway = await createUssdGateway({
    accounts: (port) => ({
      ...port,
      takeQuestion: async () => success("limit"),
      createAccount: async () => success({ state: "too-many" }),
    }),
  });
  const { caller } = await loggedIn(gateway);
  expect((await caller.type("3", "3", "hello oracle")).body).toMatch(/^Daily question limit reached\.\n\nServices/);
  expect(gateway.oracle.asked).toEqual([]);
  const other = phone(gateway, "s2", "+260971239999");
  await other.dial();
  expect((await other.type("2", "2", "John Doe", "00", "43219", "43219")).body).toMatch(
    /^This phone has too many accounts\.\n\nAccount Menu/,
  );
});

test("a lookup that is left with 0 is not undone, and its late result changes nothing [PH-40]", async () => {
  const gateway = await createUssdGateway();
  const { caller } = await loggedIn(gateway);
  const release = gateway.domains.hold();
  await caller.type("3");
  await pastBudget(gateway, 1_000, caller.type("1"));
  const left = await caller.type("0");
  expect(left.body).toMatch(/^Services\n1\. My records/);
  release();
  expect((await caller.type("7")).body).toMatch(/^Invalid selection\. Please choose 1-5\.|^Invalid choice\./);
});

test("the operator's number is shown where a caller is locked out; without one they are sent to support [PH-124]", async () => {
  for (const [supportPhone, words] of [
    ["+260971230000", "Call +260971230000."],
    [undefined, "Contact support for help."],
  ] as const) {
    const gateway = await createUssdGateway(supportPhone === undefined ? {} : { supportPhone });
    const caller = phone(gateway);
    await caller.dial();
    const locked = await caller.type("2", "1", "CNOTEXIST99", "11111", "22222", "33333");
    expect(locked.body).toMatch(/^Too many incorrect attempts\. Locked for 15 minutes\. /);
    expect(locked.body).toContain(words);
  }
});

test.each(LANGUAGES)("%s: the longest lock text has the operator's number on its screen [PH-124]", async (language) => {
  const supportPhone = "+260971230000123";
  const gateway = await createUssdGateway({ supportPhone, rules: { defaultLanguage: language } });
  for (let lock = 0; lock < 8; lock += 1) {
    const caller = phone(gateway, `lock ${lock}`);
    await caller.dial();
    const locked = await caller.type("2", "1", "CNOTEXIST99", "11111", "22222", "33333");
    expect(locked.body).toContain(supportPhone);
    await gateway.settled();
    gateway.clock.advance(86_399_000);
  }
});
