/** Addresses from external records. Tokens are sent to them, so some are refused. */
import { expect, test } from "vitest";
import { serviceUrls } from "./discovery.ts";

const at = (serviceEndpoint: unknown) =>
  serviceUrls([{ id: "#api", type: "oracleService", serviceEndpoint: serviceEndpoint as string }]).apiUrl;

test.each([
  "javascript:alert(1)",
  "data:text/plain,x",
  "file:///etc/hosts",
  "ftp://a.test",
  "blob:https://a.test/1",
  "http://a.test",
  "ws://a.test",
  "http://127.0.0.1.a.test",
  "http://notlocalhost",
  { uri: "https://a.test" },
  null,
])("%j is not an address of an oracle [SD-28]", (endpoint) => {
  expect(at(endpoint)).toBeUndefined();
});

test.each(["https://a.test", "wss://a.test", "http://localhost:8787", "http://127.0.0.1:1", "ws://[::1]:2"])(
  "%s is an address of an oracle [SD-28]",
  (endpoint) => {
    expect(at(`${endpoint}/path`)).toBe(endpoint);
  },
);
