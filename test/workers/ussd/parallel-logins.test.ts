/** PINs guessed at once over many phones and sessions (contract/ussd.md sections 7 and 12.4): real objects, real D1. */
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

/** What is told apart in a reply to a PIN. */
function toldBy(reply: string): string {
  return /(\d of 3 attempts used, \d left|Locked for \d+ minutes|Login successful)/.exec(reply)?.[1] ?? reply;
}

async function guessed(customerId: string, pinOf: (index: number) => string) {
  const phones = await phonesAtPin(customerId);
  const replies = await Promise.all(phones.map((phone, index) => phone.send(`2*1*${customerId}*${pinOf(index)}`)));
  return { phones, told: replies.map(toldBy) };
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

test("twenty wrong PINs at once: three are judged, one lock is set, and then not even the right PIN enters", async () => {
  const { port } = await testAccounts(env.DATABASE);
  const customerId = await newCustomer(port, newCaller());
  const { phones, told } = await guessed(customerId, wrong);
  const judged = ["1 of 3 attempts used, 2 left", "2 of 3 attempts used, 1 left"];
  expect(told.toSorted()).toEqual([...judged, ...lockedTimes(GUESSES - 2)]);
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
  const first = told.indexOf("1 of 3 attempts used, 2 left");
  const reply = await phones[first]?.send(`2*1*${customerId}*${wrong(first)}*${PIN}`);
  expect(toldBy(reply ?? "")).toBe("Locked for 15 minutes");
});

test("at an id of nobody the same is told", async () => {
  const customerId = `C${crypto.randomUUID().replaceAll("-", "").slice(0, 9).toUpperCase()}`;
  const { told } = await guessed(customerId, wrong);
  expect(told.toSorted()).toEqual([
    "1 of 3 attempts used, 2 left",
    "2 of 3 attempts used, 1 left",
    ...lockedTimes(GUESSES - 2),
  ]);
});

test("twenty right PINs at once let in those that were judged, and leave neither count nor lock of their own", async () => {
  const { port } = await testAccounts(env.DATABASE);
  const customerId = await newCustomer(port, newCaller());
  const { told } = await guessed(customerId, () => PIN);
  const entered = told.filter((each) => each === "Login successful");
  expect(entered.length).toBeGreaterThanOrEqual(3);
  expect(told.toSorted()).toEqual([...lockedTimes(GUESSES - entered.length), ...entered]);
  expect(await counterOf(customerId)).toEqual({ failed_attempts: 0, lockedFor: null, lock_level: 0 });
});
