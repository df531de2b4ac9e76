import { expect, test } from "vitest";
import { timezoneOf } from "./timezone.ts";

test.each([
  ["Africa/Lusaka", "Europe/Berlin", "Africa/Lusaka"],
  [undefined, "Europe/Berlin", "Europe/Berlin"],
  ["", "Europe/Berlin", "Europe/Berlin"],
  [undefined, null, undefined],
  [undefined, " ", undefined],
  ["Mars/Olympus", "Europe/Berlin", "UTC"],
  [undefined, "+02:00", "UTC"],
  ["UTC", null, "UTC"],
])("body %j and header %j give %j", (body, header, expected) => {
  expect(timezoneOf(body, header)).toBe(expected);
});
