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
