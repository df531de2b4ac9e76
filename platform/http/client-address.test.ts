import { expect, test } from "vitest";
import { clientAddress, clientNetwork, readProxyTrust } from "./client-address.ts";

const request = (headers: HeadersInit): Request => new Request("https://edge.example/", { headers });
const edge = { "CF-Connecting-IP": "198.51.100.7" };
const chain = { ...edge, "X-Forwarded-For": "203.0.113.9, 192.0.2.1,192.0.2.2" };

test("without a trusted proxy only the address that the edge sees counts [ALL-12]", () => {
  expect(clientAddress(request(chain), { enabled: false, hops: 1 })).toBe("198.51.100.7");
});

test.each([
  [1, "192.0.2.2"],
  [2, "192.0.2.1"],
  [3, "203.0.113.9"],
])("with %i trusted proxies the entry that many from the right counts [ALL-12]", (hops, address) => {
  expect(clientAddress(request(chain), { enabled: true, hops })).toBe(address);
});

test("a chain shorter than configured falls back to the address that the edge sees [ALL-12]", () => {
  expect(clientAddress(request(chain), { enabled: true, hops: 4 })).toBe("198.51.100.7");
  expect(clientAddress(request(edge), { enabled: true, hops: 1 })).toBe("198.51.100.7");
});

test.each(["anything", "192.0.2.1:4711", "[2001:db8::1]", "192.0.2.256", "x".repeat(5_000), "2001:db8::g"])(
  "an invalid entry is ignored: %s [ALL-12]",
  (entry) => {
    const forged = { ...edge, "X-Forwarded-For": `203.0.113.9, ${entry}` };
    expect(clientAddress(request(forged), { enabled: true, hops: 1 })).toBe("198.51.100.7");
  },
);

test.each(["2001:db8::1", "::ffff:192.0.2.1", "192.0.2.1"])("%s is an address [ALL-12]", (entry) => {
  const proxied = { ...edge, "X-Forwarded-For": entry };
  expect(clientAddress(request(proxied), { enabled: true, hops: 1 })).toBe(entry);
});

test("no other header is trusted [ALL-12]", () => {
  const forged = { ...edge, "X-Real-IP": "1.1.1.1", Forwarded: "for=1.1.1.1", "True-Client-IP": "1.1.1.1" };
  expect(clientAddress(request(forged), { enabled: true, hops: 1 })).toBe("198.51.100.7");
});

test("reads the trusted proxies from the environment, and trusts none while that is wrong", () => {
  expect(readProxyTrust({})).toEqual({ enabled: false, hops: 1 });
  expect(readProxyTrust({ TRUST_PROXY_ENABLED: "true", TRUST_PROXY_HOPS: "2" })).toEqual({ enabled: true, hops: 2 });
  expect(readProxyTrust({ TRUST_PROXY_ENABLED: "true", TRUST_PROXY_HOPS: "0" })).toEqual({ enabled: false, hops: 1 });
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002:ffff::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["fe80::1%eth0", "fe80::1%eth0"],
  ["unknown", "unknown"],
])("a limit counts %s as %s", (address, network) => {
  const seen = request({ "CF-Connecting-IP": address });
  expect(clientNetwork(seen, { enabled: false, hops: 1 })).toBe(network);
});
