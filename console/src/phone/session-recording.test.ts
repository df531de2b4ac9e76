/** Recorded steps use names for secrets and for varying values. */
import { expect, test } from "vitest";
import { createRecorder, customerIdOn } from "./session-recording.ts";

const PROMPT = "Create a 5-digit PIN for your account:\n0. Back";

test("PINs become names, and equal PINs equal names [CN-113]", () => {
  const { typed } = createRecorder();
  expect(["43219", "43219", "97531", "0", "*"].map((pin) => typed(pin, PROMPT))).toEqual([
    "{pin}",
    "{pin}",
    "{pin2}",
    "0",
    "*",
  ]);
  expect(typed("43219", "Menu\n1. One\n0. Back")).toBe("{pin}");
  expect(typed("1*43219*x", "")).toBe("1*{pin}*x");
  expect(typed("2 * 3?", "Ask:\n0. Back")).toBe("2 * 3?");
});

test("a Customer ID on a screen becomes a name, and so does typing it", () => {
  const { typed, shown } = createRecorder();
  const screen = "CON Account created successfully!\nYour Customer ID: C1A2B3C4DX\n1. Back";
  expect(customerIdOn(screen)).toBe("C1A2B3C4DX");
  expect(typed("C1A2B3C4DX", "Enter your Customer ID to log in:")).toBe("C1A2B3C4DX");
  expect(shown(screen)).toBe("CON Account created successfully!\nYour Customer ID: {customerId}\n1. Back");
  expect(typed("C1A2B3C4DX", "Enter your Customer ID to log in:")).toBe("{customerId}");
  expect(shown("CON C0000000AA or C1A2B3C4DX {x}")).toBe("CON {customerId2} or {customerId} {...}");
});
