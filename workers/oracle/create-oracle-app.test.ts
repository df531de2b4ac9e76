import { describe, expect, test } from "vitest";
import { edgeOverMemory } from "../../test/support/in-memory-objects.ts";
import { jsonOf } from "../../test/support/oracle-edge.ts";
import { signer } from "../../test/support/ucan.ts";
import { createOracleApp } from "./create-oracle-app.ts";
import { type OracleSurfacePlugin } from "./plugins/route-plugin.ts";

const alice = 1;
describe("plugins", () => {
  const manifest = {
    title: "Echo",
    summary: "",
    whenToUse: [],
    whenNotToUse: [],
    examples: [],
    tags: [],
    category: "test",
    visibility: "silent",
    stability: "stable",
  } as const;
  const echo: OracleSurfacePlugin = {
    name: "echo",
    version: "1",
    manifest,
    getRoutes: () => [
      {
        operation: {
          method: "post",
          path: "/calls/:callId/echo",
          id: "echo",
          summary: "Echo",
          tag: "Echo",
          responses: {},
        },
        handle: async ({ params, caller }) => Response.json({ callId: params["callId"], did: caller?.did ?? null }),
      },
    ],
  };

  test("bring routes that need a caller, and decode their parameters once", async () => {
    const { edge } = await edgeOverMemory({}, { plugins: [echo] });
    expect((await edge.call("POST", "/calls/a/echo")).status).toBe(401);
    const response = await edge.call("POST", "/calls/%24a%40b%253A/echo", { as: alice });
    expect(await jsonOf(response)).toEqual({ callId: "$a@b%3A", did: (await signer(alice)).did() });
  });

  test("routes can be excluded from authentication by the plugin or by an option", async () => {
    const byOption = await edgeOverMemory(
      {},
      { plugins: [echo], authExcludedRoutes: [{ path: "/calls/(.*)", method: "POST" }] },
    );
    const byPlugin = await edgeOverMemory(
      {},
      { plugins: [{ ...echo, getAuthExcludedRoutes: () => [{ path: "/calls/:callId/echo" }] }] },
    );
    for (const { edge, objects } of [byOption, byPlugin]) {
      expect(await jsonOf(await edge.call("POST", "/calls/a/echo"))).toEqual({ callId: "a", did: null });
      expect(objects.calls).toEqual([]);
    }
  });

  test("preferences are read with the caller's DID, and answer 404 when the plugin is off", async () => {
    const on = await edgeOverMemory();
    expect(await jsonOf(await on.edge.call("GET", "/user-preferences", { as: alice }))).toEqual({});
    const off = await edgeOverMemory({}, { features: { "user-preferences": false } });
    expect((await off.edge.call("GET", "/user-preferences", { as: alice })).status).toBe(404);
    const { paths } = await jsonOf(await off.edge.call("GET", "/openapi/oracle.json"));
    expect(paths).not.toHaveProperty(["/user-preferences"]);
  });

  test("a boot error answers every route but the root and health", async () => {
    const { edge } = await edgeOverMemory(
      {},
      { plugins: [{ ...echo, autoDetect: () => false }], features: { echo: true } },
    );
    for (const path of ["/sessions", "/models", "/.well-known/did.json"]) {
      const response = await edge.call("GET", path, { as: alice });
      expect([response.status, (await jsonOf(response))["message"]]).toEqual([500, "boot.plugin.env_missing"]);
    }
    expect((await edge.call("GET", "/")).status).toBe(200);
    expect(await jsonOf(await edge.call("GET", "/health"))).toMatchObject({
      plugins: { loaded: [], excluded: [{ plugin: "echo", reason: "boot.plugin.env_missing" }] },
    });
  });
});

test("what the oracle is goes into its sessions; ORACLE_NAME wins over the name", async () => {
  const config = {
    name: "Ada",
    org: "ixo",
    description: "It knows stoves.",
    prompt: { capabilities: "Finds stoves." },
  };
  const profileOf = async (more: object) => {
    const env = { ORACLE_SIGNING_SEED: "07".repeat(32), ...more } as unknown as Env;
    return (await createOracleApp({ config }).sessionSettings(env)).profile;
  };
  const did = (await signer(7)).did();
  expect(await profileOf({})).toEqual({ ...config, did });
  expect(await profileOf({ ORACLE_NAME: "Juno" })).toEqual({ ...config, name: "Juno", did });
});

test("a wrong setting fails the oracle in its own form and shows in health by name alone", async () => {
  const { edge } = await edgeOverMemory({ ORACLE_SIGNING_SEED: "secret" });
  const response = await edge.call("GET", "/models");
  expect(response.status).toBe(500);
  expect(await jsonOf(response)).toMatchObject({ statusCode: 500, error: "Internal Server Error" });
  const health = await edge.call("GET", "/health");
  expect(health.status).toBe(503);
  const record = await jsonOf(health);
  expect(record).toMatchObject({ status: "error", misconfigured: { oracle: ["ORACLE_SIGNING_SEED"] } });
  expect(JSON.stringify(record)).not.toContain("secret");
});
