import { describe, expect, test } from "vitest";
import { LONGEST_URL, webhookAddress, webhookHost } from "./address.ts";

const rule = { hosts: ["hooks.example.org", "127.0.0.1:4000", "[::1]"], allowsHttp: false };
const isAllowed = (url: string, more: object = {}) => webhookAddress(url, { ...rule, ...more }).ok;

describe("a webhook's address [RG-147]", () => {
  test.each([
    "https://hooks.example.org",
    "https://HOOKS.example.org:443/a?b=c",
    "https://127.0.0.1:4000/",
    "https://[::1]/x",
  ])("%s is allowed", (url) => {
    expect(isAllowed(url)).toBe(true);
  });

  test.each([
    "http://hooks.example.org/",
    "ftp://hooks.example.org/",
    "javascript:alert(1)",
    "/relative",
    "https://other.example.org/",
    "https://hooks.example.org.evil.test/",
    "https://evil.test/?hooks.example.org",
    "https://hooks.example.org@evil.test/",
    "https://user:word@hooks.example.org/",
    "https://hooks.example.org/#there",
    "https://hooks.example.org:8443/",
    "https://hooks.example.org./",
    "https://127.0.0.1/",
    "https://2130706433:4001/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/",
  ])("%s is refused", (url) => {
    expect(isAllowed(url)).toBe(false);
  });

  test("plain HTTP is allowed only in development, and no address is allowed if no host is named", () => {
    expect(isAllowed("http://127.0.0.1:4000/", { allowsHttp: true })).toBe(true);
    expect(isAllowed("https://hooks.example.org/", { hosts: [] })).toBe(false);
  });

  test.each([
    "http://2130706433:4000/",
    "http://0x7f.1:4000/",
    "http:127.0.0.1:4000",
    "http:/127.0.0.1:4000/",
    "http:\\\\127.0.0.1:4000",
  ])("%s is refused, although a browser would resolve it to a named address", (url) => {
    expect(new URL(url).host).toBe("127.0.0.1:4000");
    expect(isAllowed(url, { allowsHttp: true })).toBe(false);
  });

  test("has a maximum length", () => {
    const start = "https://hooks.example.org/";
    expect(isAllowed(start + "a".repeat(LONGEST_URL - start.length))).toBe(true);
    expect(isAllowed(start + "a".repeat(LONGEST_URL - start.length + 1))).toBe(false);
  });
});

test("a host is normalised as in URLs, and an invalid host is refused", () => {
  expect(["Hooks.Example.org", "a.test:443", "a.test:8443", "[::1]:80", "bücher.test"].map(webhookHost)).toEqual([
    "hooks.example.org",
    "a.test",
    "a.test:8443",
    "[::1]:80",
    "xn--bcher-kva.test",
  ]);
  const none = ["", "a b", "https://a.test", "a.test/path", "u@a.test", "a.test:99999", "*", "*.a.test"];
  expect(none.map(webhookHost)).toEqual(none.map(() => undefined));
});
