import { pbkdf2Sync } from "node:crypto";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dummyRecord, newPinProblem, hashPin, PIN_ITERATIONS, pinMatches, readPinRecord } from "./pin.ts";

const PHONE = "+260971230157";
const hashing = { iterations: 10, random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)) };

describe("newPinProblem [PH-55]", () => {
  test.each(["", "1234", "123456", "1234a", "12 45", "１２３４５", "43219\n"])("%j is not five digits", (pin) => {
    expect(newPinProblem(pin, PHONE)).toBe("shape");
  });

  test.each([
    "00000",
    "11111",
    "99999",
    "12345",
    "54321",
    "01234",
    "45678",
    "56789",
    "98765",
    "43210",
    "67890",
    "09876",
    "30157",
  ])("%s is weak", (pin) => {
    expect(newPinProblem(pin, PHONE)).toBe("weak");
  });

  test.each(["43219", "98764", "86420", "13579", "11112", "12344", "30158"])("%s is accepted", (pin) => {
    expect(newPinProblem(pin, PHONE)).toBeUndefined();
  });
});

describe("the record of a PIN [PH-113]", () => {
  test("is PBKDF2-HMAC-SHA-256 with its own salt and the requested cost", async () => {
    const record = await hashPin("43219", { ...hashing, iterations: PIN_ITERATIONS });
    const salt = Buffer.from(record.salt, "base64");
    expect(record).toMatchObject({ kdf: "pbkdf2-sha256", iter: 100_000 });
    expect(salt).toHaveLength(16);
    expect(record.hash).toBe(pbkdf2Sync("43219", salt, 100_000, 32, "sha256").toString("base64"));
    expect((await hashPin("43219", hashing)).salt).not.toBe(record.salt);
  });

  test("matches only its own PIN", async () => {
    const digits = fc.stringMatching(/^\d{4,6}$/);
    await fc.assert(
      fc.asyncProperty(digits, digits, async (pin, other) => {
        const record = readPinRecord(JSON.stringify(await hashPin(pin, hashing)));
        if (record === undefined) throw new Error("a record was not readable");
        expect(await pinMatches(pin, record)).toBe(true);
        expect(await pinMatches(other, record)).toBe(pin === other);
      }),
      { numRuns: 50 },
    );
  });

  test("is rejected if it costs more than the limit, or is not a record", async () => {
    const record = await hashPin("43219", hashing);
    expect(readPinRecord(JSON.stringify({ ...record, iter: PIN_ITERATIONS }))).toBeDefined();
    expect(readPinRecord(JSON.stringify({ ...record, iter: PIN_ITERATIONS + 1 }))).toBeUndefined();
    expect(readPinRecord(JSON.stringify({ ...record, kdf: "md5" }))).toBeUndefined();
    expect(readPinRecord("43219")).toBeUndefined();
    expect(readPinRecord("not JSON")).toBeUndefined();
  });
});

test.each(["", "43219", "00000"])("the dummy record matches nothing: %j", async (pin) => {
  expect(await pinMatches(pin, dummyRecord(10))).toBe(false);
});
