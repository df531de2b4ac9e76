import { expect, test } from "vitest";
import { ADDRESS_LENGTH, fetchableAddress } from "./fetchable-address.ts";
import { guardedFetch } from "./guarded-fetch.ts";

/** Spellings of hosts that are not on the public internet. */
const privateHosts = [
  // Loopback and unspecified addresses, in every form that the URL standard parses.
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "127.0.0.1.",
  "0",
  "0.0.0.0",
  "0.1.2.3",
  "2130706433",
  "0x7f000001",
  "0x7F.1",
  "0x7f.0x0.0x0.0x1",
  "017700000001",
  "0177.0.0.01",
  "%31%32%37.0.0.1",
  "127%2e0%2e0%2e1",
  "１２７.０.０.１",
  "①②⑦.0.0.1",
  "127。0。0。1",
  // Private, shared, link-local.
  "10.0.0.1",
  "10.255.255.255",
  "012.0.0.1",
  "0xa.1",
  "172.16.0.1",
  "172.31.255.255",
  "2886729729",
  "192.168.0.1",
  "192.168.1",
  "3232235521",
  "100.64.0.1",
  "100.127.255.255",
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  // Reserved for protocols, documentation and tests; multicast, reserved, broadcast.
  "192.0.0.1",
  "192.0.2.1",
  "198.51.100.1",
  "203.0.113.1",
  "198.18.0.1",
  "198.19.255.255",
  "192.88.99.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  // IPv6.
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[fe80::1]",
  "[febf::1]",
  "[fec0::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "[100::1]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::FFFF:8.8.8.8]",
  "[::127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "[2001::7f00:1]",
  "[2001:470::5efe:7f00:1]",
  "[2a00:1450::200:5efe:10.0.0.1]",
  // Names.
  "localhost",
  "LOCALHOST",
  "localhost.",
  "lｏcalhost",
  "loc%61lhost",
  "a.localhost",
  "a.localhost.",
  "localhost.localdomain",
  "printer.local",
  "metadata.google.internal",
  "router.home.arpa",
  "intranet",
  "intranet.",
  "host..",
];

test.each(privateHosts)("no request is sent to %s, named or as a redirect [OR-261]", async (host) => {
  const sent: string[] = [];
  // A header contains only Latin-1 characters.
  const written = host.replace(/[^ -~]/gu, (letter) => encodeURIComponent(letter));
  const fetch = (url: URL): Promise<Response> => {
    sent.push(url.host);
    return Promise.resolve(new Response(null, { status: 302, headers: { Location: `https://${written}/latest` } }));
  };
  const named = await guardedFetch(`https://${host}/latest`, { fetch });
  expect(named).toMatchObject({ ok: false, error: { reason: "refused_address" } });
  expect(sent).toEqual([]);

  const redirected = await guardedFetch("https://files.example.org/a", { fetch });
  expect(redirected).toMatchObject({ ok: false, error: { reason: "refused_address" } });
  expect(sent).toEqual(["files.example.org"]);
});

test.each([
  ["another scheme", "ftp://files.example.org/"],
  ["a scheme of data", "data:text/plain,hello"],
  ["a file", "file:///etc/passwd"],
  ["plain http", "http://files.example.org/"],
  ["a path alone", "/latest"],
  ["no URL", "https://"],
  ["a host that is none", "https://256.256.256.256/"],
  ["five numbers", "https://1.2.3.4.5/"],
  ["a zone", "https://[fe80::1%25eth0]/"],
  ["a user", "https://user@files.example.org/"],
  ["a password", "https://:word@files.example.org/"],
  ["the port of ssh", "https://files.example.org:22/"],
  ["the port of http", "https://files.example.org:80/"],
  ["another name for loopback", "https:\\\\127.0.0.1\\"],
  ["a line break in the host", "https://127.0\n.0.1/"],
  ["a long address", `https://files.example.org/${"a".repeat(ADDRESS_LENGTH)}`],
])("an address with %s is refused [OR-261]", (_, address) => {
  expect(fetchableAddress(address).ok).toBe(false);
});

test.each([
  "https://files.example.org/a?b=c",
  "https://files.example.org./a",
  "https://files.example.org:443/a",
  "https://files.example.org:8448/a",
  "https://93.184.216.34/a",
  "https://[2606:2800:220:1::1]/a",
  "https://xn--bcher-kva.example.org/",
  "https://internal.example.org/",
])("%s is public [OR-261]", (address) => {
  expect(fetchableAddress(address)).toMatchObject({ ok: true });
});

test("a host named by the operator may be private, with http and any port, and must match exactly [OR-262]", () => {
  const allowed = ["127.0.0.1:8080", "media.internal", "[::1]:9000"];
  const verdicts = [
    "http://127.0.0.1:8080/a",
    "https://127.0.0.1:8080/a",
    "http://[::1]:9000/",
    "http://media.internal/",
    "https://media.internal:8448/",
    "https://media.internal:9443/",
    "http://127.0.0.1:8081/",
    "http://127.0.0.1/",
    "http://a.media.internal/",
    "ftp://media.internal/",
    "http://user@media.internal/",
  ].map((address) => fetchableAddress(address, allowed).ok);
  expect(verdicts).toEqual([true, true, true, true, true, false, false, false, false, false, false]);
});

test("a refusal contains nothing of an address but its host [OR-261]", () => {
  const refused = fetchableAddress("https://10.0.0.1/secret-path?token=abc");
  expect(refused).toEqual({ ok: false, error: "The address points to 10.0.0.1, which is not on the public internet" });
});
