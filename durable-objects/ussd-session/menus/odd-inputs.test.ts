/**
 * Unexpected inputs in every state that expects more than an option: the reply fits, the session continues, the input
 * is stored as data or rejected with a message, and appears in no log.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { countRows, newCaller, newCustomer } from "../../../test/support/ussd/accounts.ts";
import { phone } from "../../../test/support/ussd/caller.ts";
import { createUssdGateway } from "../../../test/support/ussd/sessions.ts";
import { fits } from "../texts/characters.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const LIMIT = { septets: 160, countPrefix: true };
/** Maximum code points of a text. */
const LONGEST_TEXT = 182;

/** The inputs to reach each step, from the dial on; `<id>` is a customer's id. */
const STEPS = {
  "accountCreation.nameEntry": ["2", "2"],
  "accountCreation.emailEntry": ["2", "2", "John"],
  "accountCreation.pinEntry": ["2", "2", "John", "00"],
  "accountCreation.confirmPin": ["2", "2", "John", "00", "43219"],
  "login.customerIdEntry": ["2", "1"],
  "login.pinEntry": ["2", "1", "CNOTEXIST99"],
  "domainStatus.ask": ["2", "1", "<id>", "43219", "1", "3", "2"],
  "askOracle.ask": ["2", "1", "<id>", "43219", "1", "3", "3"],
  "changePin.old": ["2", "1", "<id>", "43219", "1", "3", "4"],
} as const;

const ODD = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 130 }),
  fc.constantFrom(
    "'; DROP TABLE customers;--",
    "Robert') ON CONFLICT DO NOTHING; --",
    "%s%n%d{0}${7*7}{app}",
    "__proto__",
    "\u0000\u0007\u001B[2J",
    "‮gnp.exe",
    "محمد علي",
    "👩‍👩‍👧‍👦".repeat(5),
    "a".repeat(120),
    "#",
    "*123#",
    "1. Yes\n2. No",
  ),
);

test.each(Object.entries(STEPS))("%s [PH-15, PH-25]", { timeout: 120_000 }, async (path, way) => {
  const gateway = await createUssdGateway();
  await fc.assert(
    fc.asyncProperty(ODD, async (input) => {
      // A new customer and phone for each run, because wrong PINs lock both.
      const { phoneNumber, sessionId } = newCaller();
      const customerId = await newCustomer(gateway.accounts.port, newCaller());
      const caller = phone(gateway, sessionId, phoneNumber);
      await caller.dial();
      await caller.type(...way.map((each) => each.replace("<id>", customerId)));
      expect((await gateway.session(sessionId).describe(false))?.path).toBe(path);

      const text = Array.from(`${caller.text}*${input.toWellFormed()}`).slice(0, LONGEST_TEXT).join("");
      const post = () => gateway.post({ sessionId, phoneNumber, text });
      const reply = await post();
      expect(fits(reply.body, LIMIT), reply.body).toBe(true);
      expect(["CON", "END"]).toContain(reply.kind);
      expect(reply.body).not.toContain("temporarily unavailable");
      expect(await post()).toMatchObject({ kind: reply.kind, body: reply.body, outcome: "replayed" });
      const after = await gateway.session(sessionId).describe(false);
      expect(after === null, reply.body).toBe(reply.kind === "END");
      expect(gateway.log).toEqual([]);
      expect(await countRows(gateway.database, "customers WHERE customer_id = ?", customerId)).toBe(1);
    }),
    { numRuns: Math.max(10, Math.ceil(numRuns / 5)) },
  );
});

test.each([
  ["a hash", "John #1", /^Use letters, spaces, ' or - only\.\n\nWelcome to Digital Services\nEnter your full name:/],
  ["a star, which separates inputs for gateways", "John*Doe", /^That email is not valid\.\n\nEnter your email/],
  ["an emoji", "John 😀", /^Use letters/],
  ["SQL", "Robert'); DROP TABLE customers;--", /^Use letters/],
  ["101 characters", "x".repeat(101), /^Too long\.\n\nWelcome/],
  ["100 characters", "x".repeat(100), /^Enter your email/],
  ["a right-to-left script", "محمد علي", /^Enter your email/],
  ["direction marks, which are removed", "\u202EJohn", /^Enter your email/],
])("a name with %s [PH-14, PH-51]", async (_, name, shown) => {
  const gateway = await createUssdGateway();
  await gateway.post({ text: "" });
  await gateway.post({ text: "2*2" });
  expect((await gateway.post({ text: `2*2*${name}` })).body).toMatch(shown);
});
