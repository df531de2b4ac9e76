/** A session in an address, without its PINs. */
import { expect, test } from "vitest";
import { askedNames, MAX_SHARED_STEPS, readSharedSteps, sharedSteps } from "./shared-session.ts";

const step = (typed: string) => ({ kind: "input", typed }) as const;

test("steps survive, with names for values to enter [CN-115]", () => {
  const shared = sharedSteps([{ kind: "dial", typed: "2*1" }, step("i{pin}"), step(""), step("{customerId}")]);
  expect(shared).toEqual(["d2*1", "ii{pin}", "i", "i{customerId}"]);
  const read = readSharedSteps(new URLSearchParams(shared.map((text) => ["play", text])).getAll("play"));
  expect(read).toEqual([
    { kind: "dial", typed: "2*1" },
    { kind: "input", typed: "i{pin}" },
    { kind: "input", typed: "" },
    { kind: "input", typed: "{customerId}" },
  ]);
  expect(askedNames(read)).toEqual(["pin"]);
});

test("a PIN in an address must be entered instead, and is removed from the address [CN-101]", () => {
  const read = readSharedSteps(["d2*43219", "i43219", "iJohn, 86420", "i{pin}"]);
  expect(read.map(({ typed }) => typed)).toEqual(["2*{pin2}", "{pin2}", "John, {pin3}", "{pin}"]);
  expect(sharedSteps(read)).toEqual(["d2*{pin2}", "i{pin2}", "iJohn, {pin3}", "i{pin}"]);
  expect(askedNames(read)).toEqual(["pin2", "pin3", "pin"]);
});

test("an address has a maximum number of steps, and invalid steps are ignored", () => {
  const many = Array.from({ length: MAX_SHARED_STEPS + 1 }, () => step("1"));
  expect(sharedSteps(many)).toHaveLength(MAX_SHARED_STEPS);
  expect(readSharedSteps(["x1", "", "d"])).toEqual([{ kind: "dial", typed: "" }]);
});
