/** The cost of a guess: one slow hash, for every id and whatever is stored. */
import { afterEach, expect, test, vi } from "vitest";
import { testDatabase } from "../../../test/support/storage/test-database.ts";
import { newCaller, newCustomer, PIN, testAccounts, valueOf } from "../../../test/support/ussd/accounts.ts";

const ITERATIONS = 1_234;
const UNKNOWN = "CNOTEXIST99";

afterEach(() => {
  vi.restoreAllMocks();
});

async function setUp() {
  const database = testDatabase(["0003_ussd.sql", "0008_ussd_login_phones.sql", "0013_ussd_gateways.sql"]);
  const { port } = await testAccounts(database, { iterations: ITERATIONS });
  const customerId = await newCustomer(port, newCaller());
  const derived = vi.spyOn(crypto.subtle, "deriveBits");
  return {
    database,
    customerId,
    /** The hashes that one attempt requests from the platform; a salt is represented by its length. */
    async hashesOf(id: string, pin: string, caller = newCaller()) {
      derived.mockClear();
      const { state } = await valueOf(port.login({ caller, customerId: id, pin }));
      const hashes = derived.mock.calls.map(([algorithm, , bits]) => {
        const { salt, ...rest } = algorithm as unknown as { readonly salt: Uint8Array };
        return { ...rest, salt: salt.length, bits };
      });
      return { state, hashes };
    },
  };
}

const ONE_HASH = [{ name: "PBKDF2", hash: "SHA-256", iterations: ITERATIONS, salt: 16, bits: 256 }];

test("right, wrong, empty, unknown id: one hash at the full cost each [PH-57]", async () => {
  const { customerId, hashesOf } = await setUp();
  expect(await hashesOf(customerId, PIN)).toEqual({ state: "accepted", hashes: ONE_HASH });
  for (const [id, pin] of [
    [customerId, "99999"],
    [customerId, ""],
    [UNKNOWN, PIN],
    [UNKNOWN, ""],
  ] as const) {
    expect(await hashesOf(id, pin)).toEqual({ state: "refused", hashes: ONE_HASH });
  }
});

test("without a PIN, or with one that no key opens: an equal hash [PH-57]", async () => {
  const { database, customerId, hashesOf } = await setUp();
  await database.prepare("UPDATE customers SET pin_sealed = 'AAAA'").run();
  expect(await hashesOf(customerId, PIN)).toEqual({ state: "refused", hashes: ONE_HASH });
  await database.prepare("UPDATE customers SET pin_sealed = NULL, pin_key_id = NULL").run();
  expect(await hashesOf(customerId, PIN)).toEqual({ state: "refused", hashes: ONE_HASH });
});

test("the guess that locks is hashed, and none after it, for a customer and an unknown id [PH-57, PH-59]", async () => {
  const { customerId, hashesOf } = await setUp();
  for (const id of [customerId, UNKNOWN]) {
    const caller = newCaller();
    await hashesOf(id, "99999", caller);
    await hashesOf(id, "99999", caller);
    expect(await hashesOf(id, "99999", caller)).toEqual({ state: "locked", hashes: ONE_HASH });
    expect(await hashesOf(id, PIN, caller)).toEqual({ state: "locked", hashes: [] });
  }
});
