/** Sessions that drop at the worst moment: the work is done and its reply is lost. docs/decisions/007-phone-sessions.md says why. */
import { expect, test } from "vitest";
import { countRows } from "../../../test/support/ussd/accounts.ts";
import { customerIn, phone, UNAVAILABLE } from "../../../test/support/ussd/caller.ts";
import { createUssdGateway, DOWN } from "../../../test/support/ussd/sessions.ts";

/** Creates accounts, but the answer to the first creation is lost on its way back. */
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

test("an account whose reply was lost is the account that the next call shows: one account, the same Customer ID [PH-53, PH-79]", async () => {
  const { created, gateway: opening } = losingFirstAnswer();
  const gateway = await opening;
  const first = phone(gateway, "first");
  await first.dial();
  expect(await first.type("2", "2", "John Doe", "john@test.com", "43219", "43219")).toMatchObject(UNAVAILABLE);
  await gateway.settled();
  const second = phone(gateway, "second");
  expect((await second.dial()).body).toContain("9. Continue where you left off");
  // The caller chooses another PIN this time: it is the one that they will remember.
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

test("the newest call owns the draft: what the old call still sends gets its last reply [PH-81]", async () => {
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
  // The old call's memory of its END is over; its draft is still the new call's.
  gateway.clock.advance(170_000);
  await next.type("9");
  gateway.clock.advance(170_000);
  expect(await old.type("another@test.com")).toMatchObject({ ...late });
  await gateway.settled();
  expect((await next.type("00")).body).toContain("Create a 5-digit PIN");
  expect((await next.type("43219", "43219")).body).toContain("Account created successfully!");
});

test("an old call that sends its first request again, with inputs in it, gets its last reply too [PH-81]", async () => {
  const gateway = await createUssdGateway();
  await gateway.post({ sessionId: "old", text: "2*2*John Doe" });
  await gateway.settled();
  const next = phone(gateway, "new");
  await next.dial();
  expect(await gateway.post({ sessionId: "old", text: "2*2*John Doe" })).toMatchObject({ outcome: "replayed" });
  expect((await next.type("9")).body).toContain("Enter your email address");
});

test("an account form that was offered is not lost to a question without being asked [PH-81]", async () => {
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

test("a phone with five accounts sees so before anything is typed; with four it creates one more [PH-54]", async () => {
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
