/** Codes, codes with inputs, and invalid texts. */
import { expect, test } from "vitest";
import { freshPhoneNumber, isPhoneNumber, isServiceCode, readDialled } from "./dialled.ts";

test.each([
  ["", "*2233#", ""],
  ["*2233#", "*2233#", ""],
  ["*2233*2*1#", "*2233#", "2*1"],
  ["*2233*John Doe#", "*2233#", "John Doe"],
  ["*22331#", "*22331#", ""],
  ["*384*7#", "*384*7#", ""],
  // From the first part that may be a PIN on, parts count as typed inputs.
  ["*384*7*43219*1#", "*384*7#", "43219*1"],
  ["*384*12345#", "*384#", "12345"],
  ["*43219#", "*43219#", ""],
])("%j dials %s with the inputs %j", (dialled, serviceCode, text) => {
  expect(readDialled(dialled, "*2233#")).toEqual({ serviceCode, text });
});

test("the phone's own code is dialled as it is", () => {
  expect(readDialled("*384*12345*2#", "*384*12345#")).toEqual({ serviceCode: "*384*12345#", text: "2" });
});

test.each(["2233", "*2233", "#", "**#", "*384*x#", "*2233#1"])("%j is not a code", (dialled) => {
  expect(readDialled(dialled, "*2233#")).toBeUndefined();
});

test("numbers and codes are validated as the service does, at their limits", () => {
  expect(
    ["+1234567", "+123456", "+123456789012345", "+1234567890123456", "+0234567", "26097"].map(isPhoneNumber),
  ).toEqual([true, false, true, false, false, false]);
  expect([`*${"1".repeat(48)}#`, `*${"1".repeat(49)}#`, "*1#", "1#"].map(isServiceCode)).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(isPhoneNumber(freshPhoneNumber())).toBe(true);
});
