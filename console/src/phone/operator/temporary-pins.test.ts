/** Temporary PINs until they are noted. */
import { expect, test } from "vitest";
import { withoutPin, withPin } from "./temporary-pins.ts";

const pin = (customerId: string, temporaryPin: string) => ({
  customerId,
  temporaryPin,
  expiresAt: "2026-11-23T12:00:00Z",
});

test("one customer's PIN stays when another gets one, and ends with their own next one [CN-233]", () => {
  const two = withPin(withPin([], pin("C1", "11111")), pin("C2", "22222"));
  expect(two.map(({ temporaryPin }) => temporaryPin)).toEqual(["22222", "11111"]);
  expect(withPin(two, pin("C1", "33333")).map(({ temporaryPin }) => temporaryPin)).toEqual(["33333", "22222"]);
});

test("a noted PIN is removed, and no other [CN-233]", () => {
  expect(withoutPin([pin("C1", "11111"), pin("C2", "22222")], pin("C1", "11111"))).toEqual([pin("C2", "22222")]);
});
