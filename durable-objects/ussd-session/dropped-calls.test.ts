/** Calls that drop at the worst moment: the work is done and its answer is lost. docs/decisions/007-phone-sessions.md has the rules. */
import { expect, test } from "vitest";
import { countRows } from "../../test/support/ussd-accounts.ts";
import { phone, UNAVAILABLE } from "../../test/support/ussd-caller.ts";
import { createUssdGateway, DOWN } from "../../test/support/ussd-sessions.ts";

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

test("an account whose answer was lost is the account that the next call shows: one account, the same Customer ID", async () => {
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

test("a creation that is continued after its owner has logged in changes nothing of the account", async () => {
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

test("the newest call owns the draft: what the old call still sends gets its last reply and takes nothing", async () => {
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

test("an old call that sends its first request again, with inputs in it, takes nothing either", async () => {
  const gateway = await createUssdGateway();
  await gateway.post({ sessionId: "old", text: "2*2*John Doe" });
  await gateway.settled();
  const next = phone(gateway, "new");
  await next.dial();
  expect(await gateway.post({ sessionId: "old", text: "2*2*John Doe" })).toMatchObject({ outcome: "replayed" });
  expect((await next.type("9")).body).toContain("Enter your email address");
});

test("texts out of order: a prefix that comes late changes nothing", async () => {
  const gateway = await createUssdGateway();
  await gateway.post({ text: "" });
  const name = await gateway.post({ text: "2*2" });
  expect(name.body).toContain("Enter your full name");
  expect(await gateway.post({ text: "2" })).toMatchObject({ outcome: "replayed", body: name.body });
  expect((await gateway.post({ text: "2*2*Ann" })).body).toContain("Enter your email address");
});
