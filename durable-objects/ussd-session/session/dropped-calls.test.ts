/**
 * Sessions that drop at the worst moment: the work is done and its reply is lost. docs/decisions/007-phone-sessions.md
 * explains the rules.
 */
import { describe, expect, test } from "vitest";
import { countRows, valueOf } from "../../../test/support/ussd/accounts.ts";
import { customerIn, loggedIn, pastBudget, phone, UNAVAILABLE } from "../../../test/support/ussd/caller.ts";
import { createUssdGateway, DOWN, PHONE, type UssdGateway } from "../../../test/support/ussd/sessions.ts";
import type { SessionRules } from "../settings.ts";

/** Creates accounts, but the result of the first creation is lost on its way back. */
function losingFirstAnswer() {
  const created: string[] = [];
  const gateway = createUssdGateway({
    accounts: (port) => ({
      ...port,
      createAccount: async (account) => {
        const outcome = await port.createAccount(account);
        if (outcome.ok && outcome.value.state === "created") created.push(outcome.value.customerId);
        return created.length === 1 ? DOWN : outcome;
      },
    }),
  });
  return { created, gateway };
}

test("an account whose reply was lost is shown by the next call: one account, one Customer ID [PH-53, PH-79]", async () => {
  const { created, gateway: opening } = losingFirstAnswer();
  const gateway = await opening;
  const first = phone(gateway, "first");
  await first.dial();
  expect(await first.type("2", "2", "John Doe", "john@test.com", "43219", "43219")).toMatchObject(UNAVAILABLE);
  await gateway.settled();
  const second = phone(gateway, "second");
  expect((await second.dial()).body).toContain("9. Continue where you left off");
  // The caller chooses another PIN this time, which is the one that they will remember.
  const shown = await second.type("9", "86420", "86420");
  expect(shown.body).toContain(`Your Customer ID: ${created[0]}`);
  expect(created).toEqual([created[0], created[0]]);
  expect(await countRows(gateway.database, "customers")).toBe(1);
  await gateway.settled();
  const third = phone(gateway, "third");
  expect((await third.dial()).body).not.toContain("9.");
  expect((await third.type("2", "1", String(created[0]), "43219")).body).toContain("1 of 3 attempts used");
  expect((await third.type("86420")).body).toContain("Login successful");
});

test("a creation that is resumed after its owner has logged in changes nothing of the account [PH-53]", async () => {
  const { created, gateway: opening } = losingFirstAnswer();
  const gateway = await opening;
  const first = phone(gateway, "first");
  await first.dial();
  await first.type("2", "2", "John Doe", "00", "43219", "43219");
  await gateway.settled();
  const login = phone(gateway, "login", "+260971239999");
  await login.dial();
  await login.type("2", "1", String(created[0]), "43219");
  const second = phone(gateway, "second");
  await second.dial();
  expect((await second.type("9", "86420", "86420")).body).toContain(`Your Customer ID: ${created[0]}`);
  const again = phone(gateway, "again", "+260971239999");
  await again.dial();
  expect((await again.type("2", "1", String(created[0]), "43219")).body).toContain("Login successful");
});

test("the newest call owns the draft: the old call gets its last reply for anything it still sends [PH-81]", async () => {
  const gateway = await createUssdGateway();
  const old = phone(gateway, "old");
  await old.dial();
  await old.type("2", "2", "John Doe");
  await gateway.settled();
  const next = phone(gateway, "new");
  expect((await next.dial()).body).toContain("9. Continue where you left off");
  await gateway.settled();
  const late = await old.type("john@test.com");
  expect(late).toMatchObject({ kind: "END", outcome: "replayed" });
  expect(await gateway.post({ sessionId: "old", text: "2*2*John Doe" })).toMatchObject({ ...late });
  // The old call's END is no longer remembered; its draft still belongs to the new call.
  gateway.clock.advance(170_000);
  await next.type("9");
  gateway.clock.advance(170_000);
  expect(await old.type("another@test.com")).toMatchObject({ ...late });
  await gateway.settled();
  expect((await next.type("00")).body).toContain("Create a 5-digit PIN");
  expect((await next.type("43219", "43219")).body).toContain("Account created successfully!");
});

test("an old call that repeats its first request, with inputs in it, gets its last reply too [PH-81]", async () => {
  const gateway = await createUssdGateway();
  await gateway.post({ sessionId: "old", text: "2*2*John Doe" });
  await gateway.settled();
  const next = phone(gateway, "new");
  await next.dial();
  expect(await gateway.post({ sessionId: "old", text: "2*2*John Doe" })).toMatchObject({ outcome: "replayed" });
  expect((await next.type("9")).body).toContain("Enter your email address");
});

test("a question replaces an offered account form only after asking [PH-81]", async () => {
  const gateway = await createUssdGateway();
  const customerId = await customerIn(gateway);
  const form = phone(gateway, "form");
  await form.dial();
  await form.type("2", "2", "Jane Roe");
  await gateway.settled();
  const caller = phone(gateway, "caller");
  expect((await caller.dial()).body).toContain("9. Continue where you left off");
  await caller.type("2", "1", customerId, "43219", "1");
  const asked = await caller.type("3", "3");
  expect(asked.body).toMatch(/^Your unfinished account form will be lost\.\n1\. Ask a question\n0\. Back/);
  expect((await caller.type("0", "0")).body).toContain("9. Continue where you left off");
  expect((await caller.type("3", "3", "1")).body).toContain("Type your question");
  expect((await caller.type("0", "0")).body).not.toContain("9.");
  expect((await caller.type("3", "3")).body).toContain("Type your question");
});

test("a phone with five accounts is refused before anything is typed; with four it creates one more [PH-54]", async () => {
  const gateway = await createUssdGateway();
  for (let account = 0; account < 4; account += 1) await customerIn(gateway);
  const caller = phone(gateway);
  await caller.dial();
  const created = await caller.type("2", "2", "John Doe", "00", "43219", "43219");
  expect(created.body).toContain("Account created successfully!");
  expect((await caller.type("1", "2")).body).toMatch(/^This phone has too many accounts\.\n\nAccount Menu/);
  const next = phone(gateway, "next");
  await next.dial();
  expect((await next.type("2", "2")).body).toMatch(/^This phone has too many accounts\.\n\nAccount Menu/);
  expect((await next.type("1")).body).toContain("Enter your Customer ID");
  expect(await countRows(gateway.database, "customers")).toBe(5);
});

test("a write to the index that fails during the next step is retried [PH-85, PH-100]", async () => {
  let isIndexDown = true;
  let failing: Promise<void> = Promise.resolve();
  let slow: Promise<void> = Promise.resolve();
  const gateway = await createUssdGateway({
    accounts: (port) => ({
      ...port,
      saveSession: async (entry) => {
        await failing;
        return isIndexDown ? DOWN : port.saveSession(entry);
      },
      preparePin: async (pin) => {
        await slow;
        return port.preparePin(pin);
      },
    }),
  });
  const rows = () => countRows(gateway.database, "ussd_sessions WHERE resume_until IS NOT NULL");
  let fail: () => void = () => {};
  let goOn: () => void = () => {};
  const caller = phone(gateway);
  await caller.dial();
  await gateway.settled();
  failing = new Promise((resolve) => (fail = resolve));
  slow = new Promise((resolve) => (goOn = resolve));
  await caller.type("2", "2", "John Doe", "00");
  const step = caller.type("43219");
  await new Promise((done) => void setImmediate(done));
  // The write fails in the middle of the step, which ends after it.
  fail();
  await new Promise((done) => void setImmediate(done));
  goOn();
  expect((await step).body).toContain("Confirm your 5-digit PIN");
  await gateway.settled();
  isIndexDown = false;
  expect(await rows()).toBe(0);
  gateway.clock.advance(5_000);
  await gateway.ringAlarms();
  await gateway.settled();
  expect(await rows()).toBe(1);
});

describe("a new Customer ID whose screen was lost", () => {
  /** An account whose last screen never reached its phone. The caller chooses the gateway. */
  async function lostScreen(rules: Partial<SessionRules> = {}) {
    const gateway = await createUssdGateway({ rules });
    const caller = phone(gateway, "first");
    await caller.dial();
    const { body } = await caller.type("2", "2", "John Doe", "00", "43219", "43219");
    await gateway.settled();
    return { gateway, caller, shown: body };
  }

  test("is shown again on each dial until its caller answers it, across a kill [PH-118]", async () => {
    const { gateway, shown } = await lostScreen();
    expect(shown).toMatch(/^Account created successfully!\nYour Customer ID: C/);
    for (const sessionId of ["second", "third"]) {
      gateway.restart();
      gateway.clock.advance(200_000);
      await gateway.ringAlarms();
      await gateway.settled();
      expect((await phone(gateway, sessionId).dial()).body).toBe(shown);
      await gateway.settled();
    }
    const last = phone(gateway, "fourth");
    expect((await last.dial()).body).toBe(shown);
    expect((await last.type("1")).body).toContain("Do you have an existing account?");
    await gateway.settled();
    expect((await phone(gateway, "fifth").dial()).body).toMatch(/^Welcome to/);
    expect(await countRows(gateway.database, "customers")).toBe(1);
    const created = gateway.reports.reduce((sum, { milestones }) => sum + (milestones.account_created ?? 0), 0);
    expect(created).toBe(1);
  });

  test("is shown long after a form could be continued, and even where no form can be [PH-118]", async () => {
    for (const rules of [{}, { resumeWindowMs: 0 }]) {
      const { gateway, shown } = await lostScreen(rules);
      gateway.clock.advance(29 * 86_400_000);
      await gateway.ringAlarms();
      await gateway.settled();
      expect((await phone(gateway, "second").dial()).body).toBe(shown);
    }
    const { gateway } = await lostScreen();
    gateway.clock.advance(30 * 86_400_000);
    expect((await phone(gateway, "second").dial()).body).toMatch(/^Welcome to/);
  });

  test("is shown to no other phone, and not after exit [PH-118]", async () => {
    const { gateway, caller } = await lostScreen();
    expect((await phone(gateway, "other", "+260971239999").dial()).body).toMatch(/^Welcome to/);
    await caller.type("*");
    await gateway.settled();
    expect((await phone(gateway, "second").dial()).body).toMatch(/^Welcome to/);
  });

  test("is not answered by inputs dialled with the code, nor by a late request of the lost call [PH-118]", async () => {
    const { gateway, caller, shown } = await lostScreen();
    const next = await gateway.post({ sessionId: "second", text: "2*1" });
    expect(next.body).toBe(shown);
    await gateway.settled();
    expect(await caller.type("1")).toMatchObject({ kind: "END", outcome: "replayed" });
    expect((await gateway.post({ sessionId: "second", text: "2*1*1" })).body).toContain("existing account");
  });

  test("counts once towards the accounts of its phone [PH-54, PH-118]", async () => {
    const { gateway } = await lostScreen();
    for (let account = 0; account < 3; account += 1) await customerIn(gateway);
    const next = phone(gateway, "second");
    await next.dial();
    expect((await next.type("1", "2")).body).toContain("Enter your full name");
  });
});

describe("a caller who dials again while the account is still being created", () => {
  /** The phone has sent its PIN twice and hung up; the database takes this long to store the account. */
  async function redialled(milliseconds: number) {
    const made: { gateway?: UssdGateway } = {};
    const gateway = await createUssdGateway({
      accounts: (port) => ({
        ...port,
        createAccount: async (account) => {
          const created = await port.createAccount(account);
          const { promise, resolve } = Promise.withResolvers<void>();
          made.gateway?.clock.after(milliseconds, () => resolve());
          await promise;
          return created;
        },
      }),
    });
    made.gateway = gateway;
    const first = phone(gateway, "first");
    await first.dial();
    await first.type("2", "2", "John Doe", "00", "43219");
    await gateway.settled();
    const confirming = first.type("43219");
    const second = await pastBudget(gateway, 500, phone(gateway, "second").dial());
    expect(second.body).toMatch(/^Welcome to/);
    await pastBudget(gateway, 500, confirming);
    await gateway.settled();
    return { gateway, next: phone(gateway, "third") };
  }

  test("sees its Customer ID on the next call, if the dial could not wait for it [PH-141]", async () => {
    const { gateway, next } = await redialled(2_500);
    expect((await next.dial()).body).toMatch(/^Account created successfully!\nYour Customer ID: C/);
    expect(await countRows(gateway.database, "customers")).toBe(1);
  });

  test("finds the form on the next call, which leads to that account [PH-141]", async () => {
    const { gateway, next } = await redialled(30_000);
    expect((await next.dial()).body).toContain("9. Continue where you left off");
    await pastBudget(gateway, 1_000, next.type("9", "43219", "43219"));
    expect(await countRows(gateway.database, "customers")).toBe(1);
  });
});

test("a new Customer ID that a call fetched and lost before storing it is shown by the next one [PH-118]", async () => {
  const gateway = await createUssdGateway();
  const first = phone(gateway, "first");
  await first.dial();
  const { body } = await first.type("2", "2", "John Doe", "00", "43219", "43219");
  await gateway.settled();
  const binding = { phoneNumber: PHONE, serviceCode: "*2233#" };
  expect(await gateway.session("first").claimDraft({ ...binding, claim: "lost" })).toMatchObject({ kind: "created" });
  expect((await phone(gateway, "second").dial()).body).toBe(body);
});

test("a creation that is resumed after an operator's reset reports that the PIN was not set [PH-132]", async () => {
  const { created, gateway: opening } = losingFirstAnswer();
  const gateway = await opening;
  const first = phone(gateway, "first");
  await first.dial();
  await first.type("2", "2", "John Doe", "00", "43219", "43219");
  await gateway.settled();
  const reset = await valueOf(gateway.accounts.operators.resetPin(String(created[0])));
  const second = phone(gateway, "second");
  await second.dial();
  const shown = await second.type("9", "86420", "86420");
  expect(shown.body).toMatch(/^(?:This account has a PIN already\. It was not changed\.\n|PIN not changed\.)/);
  expect(shown.body).toContain(`Your Customer ID: ${created[0]}`);
  expect((await second.type("1", "1", String(created[0]), "86420")).body).toContain("1 of 3 attempts used");
  expect((await second.type(reset.temporaryPin)).body).toContain("Please set a new PIN.");
});

test("a dial under the id of the previous call begins a new call: logged out, its form offered [PH-126]", async () => {
  const gateway = await createUssdGateway();
  const { caller } = await loggedIn(gateway);
  expect((await caller.type("3")).body).toContain("My records");
  // A late copy of the first request changes nothing.
  expect((await gateway.post({ text: "" })).body).toContain("My records");
  gateway.clock.advance(10_000);
  const redialled = await gateway.post({ text: "" });
  expect(redialled.body).toMatch(/^Welcome to [^3]*$/);
  expect((await gateway.session("s1").describe(false))?.isAuthenticated).toBe(false);
  await gateway.post({ text: "2" });
  await gateway.post({ text: "2*2" });
  await gateway.post({ text: "2*2*John Doe" });
  gateway.clock.advance(10_000);
  expect((await gateway.post({ text: "" })).body).toContain("9. Continue where you left off");
  expect((await gateway.post({ text: "9" })).body).toContain("Enter your email address");
});
