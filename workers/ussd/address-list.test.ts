import { describe, expect, test } from "vitest";
import { listsAddress, parseAddressList } from "./address-list.ts";

const lists = (list: string, address: string) => listsAddress(parseAddressList(list) ?? [], address);

describe("listsAddress", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7", true],
    ["203.0.113.7", "203.0.113.8", false],
    ["198.51.100.1, 203.0.113.0/24", "203.0.113.255", true],
    ["203.0.113.0/24", "203.0.114.0", false],
    ["203.0.113.128/25", "203.0.113.127", false],
    ["203.0.113.9/24", "203.0.113.1", true],
    ["0.0.0.0/0", "8.8.8.8", true],
    ["0.0.0.0/0", "2001:db8::1", false],
    ["::/0", "8.8.8.8", true],
    ["2001:db8::/32", "2001:db8:1:2:3:4:5:6", true],
    ["2001:db8::/32", "2001:db9::", false],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1", true],
    ["203.0.113.7", "::ffff:203.0.113.7", true],
    ["::ffff:203.0.113.0/120", "203.0.113.9", true],
    ["", "203.0.113.7", false],
    ["203.0.113.7", "unknown", false],
  ])("%j contains %s: %s [PH-90, PH-92]", (list, address, expected) => {
    expect(lists(list, address)).toBe(expected);
  });
});

test.each([
  "x",
  "203.0.113",
  "203.0.113.256",
  "203.0.113.07",
  "203.0.113.0/33",
  "203.0.113.0/",
  "203.0.113.0/24/1",
  "2001:db8::/129",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "1::2::3",
  "1:2:3:4:5:6:7::8",
  ":::",
  "g::1",
  "203.0.113.7, x",
])("%j is not a list of addresses", (text) => {
  expect(parseAddressList(text)).toBeUndefined();
});
