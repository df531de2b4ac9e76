/** The limit on failed authentications of an address, and callers who are exempt from it. */
import { expect, test } from "vitest";
import { createEdge } from "../../../test/support/oracle/oracle-edge.ts";
import { edgeOverObjects } from "../../../test/support/oracle/oracle-objects-in-node.ts";
import { plugin } from "../../../test/support/plugins/small-plugins.ts";
import { mintDelegation, mintInvocation, signer } from "../../../test/support/auth/ucan.ts";
import { FAILED_ATTEMPTS_PER_MINUTE } from "../../../platform/http/attempt-limit.ts";

const from = { "CF-Connecting-IP": "192.0.2.1" };
const forged = { ...from, Authorization: "Bearer x", "X-Auth-Type": "ucan" };

async function limitedEdge(env: object = {}, headers: Record<string, string> = forged) {
  const { edge } = await edgeOverObjects(env);
  const status = async (more: Record<string, string>) =>
    (await edge.call("GET", "/sessions", { headers: { ...from, ...more } })).status;
  const later = Math.floor(Date.now() / 1000) + 600;
  const invocationOf = async (key: number) => ({
    Authorization: `Bearer ${await mintInvocation(await signer(key), edge.oracleDid, later)}`,
    "X-Auth-Type": "ucan",
  });
  const delegation = { "x-ucan-delegation": await mintDelegation(await signer(3), edge.oracleDid, later) };
  for (let attempt = 0; attempt < FAILED_ATTEMPTS_PER_MINUTE; attempt += 1) {
    expect(await status(headers)).toBe(401);
  }
  return { status, delegation, invocation: await invocationOf(2) };
}

test("after 100 failed authentications the next one waits, and valid tokens are still accepted, even new ones [ALL-14]", async () => {
  const { status, invocation, delegation } = await limitedEdge();
  expect([await status(forged), await status(invocation), await status(delegation)]).toEqual([429, 200, 200]);
  expect(await status({ ...forged, ...delegation })).toBe(429);
  expect(await status({ ...forged, "CF-Connecting-IP": "192.0.2.2" })).toBe(401);
});

test("an IPv6 network is one address: its owner has 2^64 addresses in it [ALL-13, ALL-14]", async () => {
  const address = (host: string) => ({ "CF-Connecting-IP": `2001:db8:1:2::${host}` });
  const { status } = await limitedEdge({}, { ...forged, ...address("1") });
  expect(await status({ ...forged, ...address("2") })).toBe(429);
  expect(await status({ ...forged, "CF-Connecting-IP": "2001:db8:1:3::1" })).toBe(401);
});

test("a request without a token is rejected but not counted: any web page can make its reader send them [ALL-14]", async () => {
  const { status } = await limitedEdge({}, {});
  expect(await status(forged)).toBe(401);
});

test("in development there is no limit [ALL-14]", async () => {
  const { status } = await limitedEdge({ ENVIRONMENT: "development" });
  expect(await status(forged)).toBe(401);
});

test("if only some DIDs may sign in, another one is a 403 that does not count as a failed sign-in [OR-611]", async () => {
  const { edge } = await edgeOverObjects({ ORACLE_ALLOWED_DIDS: ` ${(await signer(2)).did()}, did:ixo:ixo1other` });
  const later = Math.floor(Date.now() / 1000) + 600;
  const call = async (key: number) =>
    edge.call("GET", "/sessions", {
      headers: {
        ...from,
        Authorization: `Bearer ${await mintInvocation(await signer(key), edge.oracleDid, later)}`,
        "X-Auth-Type": "ucan",
      },
    });
  for (let attempt = 0; attempt <= FAILED_ATTEMPTS_PER_MINUTE; attempt += 1) {
    const refused = await call(3);
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: "not_allowed" }]);
  }
  expect((await call(2)).status).toBe(200);
});

test("wrong operator secrets count like failed sign-ins; a missing one does not count, and the right one is accepted [OR-463]", async () => {
  const operated = plugin("operated", {
    getRoutes: () => [
      { method: "get", path: "/operated", operatorSecret: "s".repeat(16), handler: async () => Response.json({}) },
    ],
  });
  const edge = await createEdge({}, { plugins: [operated] });
  const status = async (authorization?: string) =>
    (await edge.call("GET", "/operated", { headers: { ...from, ...(authorization && { authorization }) } })).status;
  expect(await status()).toBe(401);
  for (let attempt = 0; attempt < FAILED_ATTEMPTS_PER_MINUTE; attempt += 1)
    expect(await status("Bearer wrong")).toBe(401);
  expect(await status("Bearer wrong")).toBe(429);
  expect(await status(`Bearer ${"s".repeat(16)}`)).toBe(200);
});
