/** Calls while the database of the phone gateway is full. */
import { expect, test } from "vitest";
import { countRows, newCaller, pendingPin } from "../../../test/support/ussd/accounts.ts";
import { phone } from "../../../test/support/ussd/caller.ts";
import { SCREENS } from "../../../test/support/ussd/screens.ts";
import { createUssdGateway, type UssdGateway } from "../../../test/support/ussd/sessions.ts";
import { fillDatabase, isStored, makeRoom } from "../../../test/support/storage/full-database.ts";

const NOTHING_SAVED = {
  kind: "END",
  body: "Nothing can be saved right now. Your entries so far are kept. Please try again later.",
};

/** No account and no phone can be added. */
async function fill({ database, accounts: { port } }: UssdGateway): Promise<void> {
  await fillDatabase(database, async () => {
    const creationKey = crypto.randomUUID();
    const sealedPin = await pendingPin(port, creationKey);
    const account = { caller: newCaller(), creationKey, name: "Other", email: null, language: null, sealedPin };
    const created = await port.createAccount(account);
    expect(created.ok ? "stored" : created.error.code).toMatch(/^(?:stored|storage_full)$/);
    return created.ok;
  });
  await fillDatabase(database, () =>
    isStored(() =>
      database
        .prepare("INSERT INTO phones (phone_e164, first_seen, last_seen, visits) VALUES (?, 1, 1, 0)")
        .bind(newCaller().phoneNumber)
        .run(),
    ),
  );
}

test("a dial and the menus work, a step that stores ENDs with its reason, and its draft is kept [PH-145]", async () => {
  const gateway = await createUssdGateway();
  const caller = phone(gateway);
  await caller.dial();
  await caller.type("2", "2", "John Doe", "00", "43219");
  await fill(gateway);
  const customers = await countRows(gateway.database, "customers");
  expect(await caller.type("43219")).toMatchObject(NOTHING_SAVED);
  expect(await gateway.post({ text: caller.text })).toMatchObject({ ...NOTHING_SAVED, outcome: "replayed" });

  const visitor = phone(gateway, "s2", "+260971239999");
  expect(await visitor.dial()).toMatchObject({ kind: "CON" });
  expect((await visitor.type("1")).body).toContain(SCREENS.I);
  await gateway.settled();
  expect(await countRows(gateway.database, "customers")).toBe(customers);

  await makeRoom(gateway.database);
  // The index records the end, so the next call offers the draft.
  gateway.clock.advance(5_000);
  await gateway.ringAlarms();
  await gateway.settled();
  const next = phone(gateway, "s3");
  expect((await next.dial()).body).toContain("9. Continue");
  await next.type("9", "43219", "43219");
  expect(await countRows(gateway.database, "customers")).toBe(customers + 1);
});
