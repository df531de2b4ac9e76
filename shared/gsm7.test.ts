import { expect, test } from "vitest";
import { replySize, septetsOf, ucs2Limit } from "./gsm7.ts";

test.each([
  ["", 0],
  ["Welcome to Digital Services\n1. Know More\n2. Account Menu\n*. Exit", 64],
  ["\n", 1],
  ["éèàùìòñöüäåÇß@£$¥ΔΩ", 19],
  ["€", 2],
  ["^{}\\[~]|", 16],
])("%j takes %i septets [PH-68]", (text, septets) => {
  expect(septetsOf(text)).toBe(septets);
});

test("the octets of 160 septets hold 70 UTF-16 units, those of 182 hold 80 [PH-69]", () => {
  expect([100, 160, 182].map(ucs2Limit)).toEqual([44, 70, 80]);
});

test.each([
  ["CON Hi", { alphabet: "GSM-7", size: 6, limit: 160, networkLimit: 182 }],
  ["CON €[", { alphabet: "GSM-7", size: 8, limit: 160, networkLimit: 182 }],
  ["CON ñ\n", { alphabet: "GSM-7", size: 6, limit: 160, networkLimit: 182 }],
  ["CON 水", { alphabet: "UCS-2", size: 5, limit: 70, networkLimit: 80 }],
  ["CON 😀", { alphabet: "UCS-2", size: 6, limit: 70, networkLimit: 80 }],
  [`CON ${"x".repeat(179)}`, { alphabet: "GSM-7", size: 183, limit: 160, networkLimit: 182 }],
])("the size of %j [CN-112]", (reply, size) => {
  expect(replySize(reply)).toEqual(size);
});
