/** PINs guessed concurrently over many phones and sessions, with real objects and a real D1. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { auditEvents, newCaller, newCustomer, PIN, testAccounts, valueOf } from "../../support/ussd/accounts.ts";
import { createUssdEdge } from "../../support/ussd/edge.ts";

const GUESSES = 20;
/** Guesses at one account from phones that it does not know. */
const STRANGE_GUESSES = 9;
const edge = createUssdEdge(env);

/** Twenty phones at the PIN prompt of that id. */
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
const afterWrongPins = [
  ...Array.from({ length: STRANGE_GUESSES - 1 }, () => "1 of 3 attempts used, 2 left"),
  ...lockedTimes(GUESSES - STRANGE_GUESSES + 1),
];
const wrong = (index: number) => String(50_000 + index);

test("twenty concurrent wrong PINs from as many phones: nine are checked, one lock is set, and then even the right PIN is rejected [PH-58, PH-59]", async () => {
  const { port } = await testAccounts(env.DATABASE);
  const customerId = await newCustomer(port, newCaller());
  const { phones, results } = await guessed(customerId, wrong);
  expect(results.toSorted()).toEqual(afterWrongPins);
  const events = await auditEvents(env.DATABASE, customerId);
  expect(events.map(String).toSorted()).toEqual([
    "ACCOUNT_CREATED",
    "ACCOUNT_LOCKED",
    ...Array.from({ length: STRANGE_GUESSES }, () => "LOGIN_FAILED"),
  ]);
  // The phone at the PIN prompt whose guess was first.
  const first = results.indexOf("1 of 3 attempts used, 2 left");
  const reply = await phones[first]?.send(`2*1*${customerId}*${wrong(first)}*${PIN}`);
  expect(resultOf(reply ?? "")).toBe("Locked for 15 minutes");
});

test("an unknown id gets equal replies [PH-57]", async () => {
  const customerId = `C${crypto.randomUUID().replaceAll("-", "").slice(0, 9).toUpperCase()}`;
  const { results } = await guessed(customerId, wrong);
  expect(results.toSorted()).toEqual(afterWrongPins);
});

test("twenty concurrent right PINs log in those that were checked, and leave neither count nor lock [PH-58, PH-59]", async () => {
  const { port } = await testAccounts(env.DATABASE);
  const customerId = await newCustomer(port, newCaller());
  const { results } = await guessed(customerId, () => PIN);
  const entered = results.filter((each) => each === "Login successful");
  expect(entered.length).toBeGreaterThanOrEqual(STRANGE_GUESSES);
  expect(results.toSorted()).toEqual([...lockedTimes(GUESSES - entered.length), ...entered]);
  const again = await valueOf(port.login({ caller: newCaller(), customerId, pin: "99999" }));
  expect(again).toEqual({ state: "refused", attemptsUsed: 1, attemptsLeft: 2 });
  for (let guess = 2; guess < STRANGE_GUESSES; guess += 1) {
    expect(await valueOf(port.login({ caller: newCaller(), customerId, pin: "99999" }))).toEqual(again);
  }
});
