/** PINs guessed at the same time over many phones and sessions, with real objects and a real D1. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { auditEvents, newCaller, newCustomer, PIN, testAccounts } from "../../support/ussd/accounts.ts";
import { createUssdEdge } from "../../support/ussd/edge.ts";

const GUESSES = 20;
const LOCK_MS = 900_000;
const edge = createUssdEdge(env);

/** Twenty phones that have each come to the PIN of that id. */
async function phonesAtPin(customerId: string) {
  const phones = Array.from({ length: GUESSES }, () => edge.phone(newCaller().phoneNumber));
  await Promise.all(
    phones.map(async (phone) => {
      for (const text of ["", "2", "2*1"]) await phone.send(text);
      expect(await phone.send(`2*1*${customerId}`)).toContain("Enter your PIN:");
    }),
  );
  return phones;
}

/** The result in a reply to a PIN. */
function resultOf(reply: string): string {
  return /(\d of 3 attempts used, \d left|Locked for \d+ minutes|Login successful)/.exec(reply)?.[1] ?? reply;
}

async function guessed(customerId: string, pinOf: (index: number) => string) {
  const phones = await phonesAtPin(customerId);
  const replies = await Promise.all(phones.map((phone, index) => phone.send(`2*1*${customerId}*${pinOf(index)}`)));
  return { phones, results: replies.map(resultOf) };
}

const lockedTimes = (count: number) => Array.from({ length: count }, () => "Locked for 15 minutes");
const wrong = (index: number) => String(50_000 + index);

async function counterOf(customerId: string) {
  return env.DATABASE.prepare(
    "SELECT failed_attempts, locked_until - attempted_at AS lockedFor, lock_level FROM customers WHERE customer_id = ?",
  )
    .bind(customerId)
    .first();
}

test("twenty wrong PINs at once: three are checked, one lock is set, and then even the right PIN is rejected [PH-58, PH-59]", async () => {
  const { port } = await testAccounts(env.DATABASE);
  const customerId = await newCustomer(port, newCaller());
  const { phones, results } = await guessed(customerId, wrong);
  const checked = ["1 of 3 attempts used, 2 left", "2 of 3 attempts used, 1 left"];
  expect(results.toSorted()).toEqual([...checked, ...lockedTimes(GUESSES - 2)]);
  expect(await counterOf(customerId)).toEqual({ failed_attempts: 0, lockedFor: LOCK_MS, lock_level: 1 });
  const events = await auditEvents(env.DATABASE, customerId);
  expect(events.map(String).toSorted()).toEqual([
    "ACCOUNT_CREATED",
    "ACCOUNT_LOCKED",
    "LOGIN_FAILED",
    "LOGIN_FAILED",
    "LOGIN_FAILED",
  ]);
  // Of the phones that still stand at the PIN, the one whose guess was the first.
  const first = results.indexOf("1 of 3 attempts used, 2 left");
  const reply = await phones[first]?.send(`2*1*${customerId}*${wrong(first)}*${PIN}`);
  expect(resultOf(reply ?? "")).toBe("Locked for 15 minutes");
});

test("an unknown id gets the same replies [PH-57]", async () => {
  const customerId = `C${crypto.randomUUID().replaceAll("-", "").slice(0, 9).toUpperCase()}`;
  const { results } = await guessed(customerId, wrong);
  expect(results.toSorted()).toEqual([
    "1 of 3 attempts used, 2 left",
    "2 of 3 attempts used, 1 left",
    ...lockedTimes(GUESSES - 2),
  ]);
});

test("twenty right PINs at once log in those that were checked, and leave neither count nor lock [PH-58, PH-59]", async () => {
  const { port } = await testAccounts(env.DATABASE);
  const customerId = await newCustomer(port, newCaller());
  const { results } = await guessed(customerId, () => PIN);
  const entered = results.filter((each) => each === "Login successful");
  expect(entered.length).toBeGreaterThanOrEqual(3);
  expect(results.toSorted()).toEqual([...lockedTimes(GUESSES - entered.length), ...entered]);
  expect(await counterOf(customerId)).toEqual({ failed_attempts: 0, lockedFor: null, lock_level: 0 });
});
