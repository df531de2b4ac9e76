/** Limits per address of the phone gateway and the registry: all hosts of an IPv6 /64 network share one limit. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { ADMIN_TOKEN, registryEdge } from "../support/registry/registry-edge.ts";
import { createUssdEdge, goodRequest, JSON_BODY } from "../support/ussd/edge.ts";

/** The status of a request from that address. */
type Ask = (address: string) => Promise<number>;

interface Limit {
  readonly ask: Ask;
  readonly limit: number;
  /** Requests within the limit. */
  readonly admitted: number;
}

const LIMIT = 3;
/** Failed authentications of a network per minute. */
const FAILURES = 100;

const limits: readonly (readonly [name: string, open: () => Limit])[] = Object.entries({
  "requests to the phone gateway": () => {
    const edge = createUssdEdge(env, { USSD_RATE_LIMIT_PER_MINUTE: String(LIMIT) });
    const ask: Ask = async (address) => {
      const headers = { ...JSON_BODY, "CF-Connecting-IP": address };
      return (await edge.call("POST", "/api/ussd", { headers, body: JSON.stringify(goodRequest()) })).status;
    };
    return { ask, limit: LIMIT, admitted: 200 };
  },
  "public reads of the registry": () => {
    const edge = registryEdge({ DATABASE: env.DATABASE, REGISTRY_PUBLIC_READS_PER_MINUTE: String(LIMIT) });
    const ask: Ask = async (address) => {
      const call = { body: { query: "{ nodeId }" }, headers: { "CF-Connecting-IP": address } };
      return (await edge.call("POST", "/graphql", call)).status;
    };
    return { ask, limit: LIMIT, admitted: 200 };
  },
  "wrong keys of the registry": () => {
    const edge = registryEdge({ DATABASE: env.DATABASE, ADMIN_TOKEN });
    const ask: Ask = async (address) => {
      const call = { key: "wrong", headers: { "CF-Connecting-IP": address } };
      return (await edge.call("GET", "/v1/domains", call)).status;
    };
    return { ask, limit: FAILURES, admitted: 401 };
  },
});

/** A network that no other test uses. */
const newNetwork = (): string =>
  `2001:db8:${[1, 2].map(() => crypto.getRandomValues(new Uint16Array(1))[0]?.toString(16)).join(":")}`;

test.each(limits)("%s: hosts of a /64 share the limit, another /64 has its own [ALL-13]", async (_, open) => {
  const { ask, limit, admitted } = open();
  const network = newNetwork();
  const statuses: number[] = [];
  for (let host = 1; host <= limit; host += 1) statuses.push(await ask(`${network}:${host.toString(16)}::1`));
  expect(statuses).toEqual(Array.from({ length: limit }, () => admitted));
  expect(await ask(`${network}:ffff:ffff:ffff:ffff`)).toBe(429);
  expect(await ask(`${newNetwork()}::1`)).toBe(admitted);
});

test.each(limits)("%s: an IPv4 address in IPv6 notation is that address [ALL-13]", async (_, open) => {
  const { ask, limit, admitted } = open();
  const [third, fourth] = crypto.getRandomValues(new Uint8Array(2));
  const address = `198.18.${third}.${fourth}`;
  for (let count = 0; count < limit; count += 1)
    expect(await ask(count % 2 === 0 ? address : `::ffff:${address}`)).toBe(admitted);
  expect(await ask(`::ffff:${address}`)).toBe(429);
  expect(await ask(`::ffff:198.19.${third}.${fourth}`)).toBe(admitted);
});
