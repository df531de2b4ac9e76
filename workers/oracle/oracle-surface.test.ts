import { describe, expect, test } from "vitest";
import * as z from "zod";
import { edgeOverObjects } from "../../test/support/oracle-objects-in-node.ts";
import { plugin } from "../../test/support/plugins.ts";
import { jsonOf } from "../../test/support/oracle-edge.ts";
import { signer } from "../../test/support/ucan.ts";
import { createOracleSurface } from "./oracle-surface.ts";
import { route } from "./framework/plugin-routes.ts";

const alice = 1;
describe("plugins", () => {
  const echo = plugin("echo", {
    getRoutes: () => [
      {
        method: "post",
        path: "/calls/:callId/echo",
        handler: async (_request, { params, user }) =>
          Response.json({ callId: params["callId"], did: user?.did ?? null }),
      },
    ],
  });

  test("add routes that need a caller, and whose parameters are decoded once [OR-4, OR-130]", async () => {
    const { edge } = await edgeOverObjects({}, { plugins: [echo] });
    expect((await edge.call("POST", "/calls/a/echo")).status).toBe(401);
    const response = await edge.call("POST", "/calls/%24a%40b%253A/echo", { as: alice });
    expect(await jsonOf(response)).toEqual({ callId: "$a@b%3A", did: (await signer(alice)).did() });
  });

  test("routes answer only to what they describe: parameters, query and body are checked before the plugin sees them [OR-130]", async () => {
    const seen: unknown[] = [];
    const strict = plugin("strict", {
      getRoutes: () => [
        route({
          method: "POST",
          path: "/calls/:noteId/note",
          params: z.object({ noteId: z.string().regex(/^\d+$/) }),
          query: z.object({ copies: z.coerce.number().int().max(3).default(1) }),
          body: z.object({ text: z.string().min(1) }),
          handler: async (_request, { params, query, body }) => {
            seen.push({ params, query, body });
            return Response.json({ ok: true });
          },
        }),
      ],
    });
    const { edge } = await edgeOverObjects({}, { plugins: [strict] });
    const post = async (path: string, body: unknown) => {
      const response = await edge.call("POST", path, { as: alice, body });
      return [response.status, (await jsonOf(response))["message"]];
    };
    expect(await post("/calls/x/note", { text: "a" })).toEqual([404, "Cannot POST /calls/x/note"]);
    expect((await post("/calls/1/note?copies=4", { text: "a" }))[0]).toBe(400);
    expect((await post("/calls/1/note", { text: 7 }))[0]).toBe(400);
    expect(await post("/calls/1/note", "nothing")).toEqual([
      400,
      "Request body is not valid JSON: expected an object or a list",
    ]);
    expect(await post("/calls/1/note", { text: "a".repeat(16_384) })).toEqual([413, "Request body too large"]);
    expect(seen).toEqual([]);
    expect((await post("/calls/1/note?copies=2", { text: "a", more: 1 }))[0]).toBe(200);
    expect(seen).toEqual([{ params: { noteId: "1" }, query: { copies: 2 }, body: { text: "a" } }]);
  });

  test("routes can be excluded from authentication by the plugin or by an option [OR-130]", async () => {
    const byOption = await edgeOverObjects(
      {},
      { plugins: [echo], authExcludedRoutes: [{ path: "/calls/(.*)", method: "POST" }] },
    );
    const byPlugin = await edgeOverObjects(
      {},
      { plugins: [{ ...echo, getAuthExcludedRoutes: () => [{ path: "/calls/:callId/echo" }] }] },
    );
    for (const { edge, objects } of [byOption, byPlugin]) {
      expect(await jsonOf(await edge.call("POST", "/calls/a/echo"))).toEqual({ callId: "a", did: null });
      expect(objects.calls).toEqual([]);
    }
  });

  test("preferences are those of the caller's DID, and a 404 when the plugin is off [OR-123]", async () => {
    const on = await edgeOverObjects();
    expect(await jsonOf(await on.edge.call("GET", "/user-preferences", { as: alice }))).toEqual({});
    const off = await edgeOverObjects({}, { features: { "user-preferences": false } });
    expect((await off.edge.call("GET", "/user-preferences", { as: alice })).status).toBe(404);
    const { paths } = await jsonOf(await off.edge.call("GET", "/openapi/oracle.json"));
    expect(paths).not.toHaveProperty(["/user-preferences"]);
  });

  test("a boot error fails every route but the root and health [OR-128, OR-129]", async () => {
    const { edge } = await edgeOverObjects(
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

test("what the oracle is goes into its sessions; ORACLE_NAME wins over the name [OR-132]", async () => {
  const config = {
    name: "Ada",
    org: "ixo",
    description: "It knows stoves.",
    prompt: { capabilities: "Finds stoves." },
  };
  const profileOf = async (more: object) => {
    const env = { ORACLE_SIGNING_SEED: "07".repeat(32), ...more } as unknown as Env;
    return (await createOracleSurface({ config }).sessionSettings(env)).profile;
  };
  const did = (await signer(7)).did();
  expect(await profileOf({})).toEqual({ ...config, did, entityDid: did });
  expect(await profileOf({ ORACLE_NAME: "Juno" })).toEqual({ ...config, name: "Juno", did, entityDid: did });
});

test("an invalid setting fails the routes in their own format and appears in health by name only [OR-147]", async () => {
  const { edge } = await edgeOverObjects({ ORACLE_SIGNING_SEED: "secret" });
  const response = await edge.call("GET", "/models");
  expect(response.status).toBe(500);
  expect(await jsonOf(response)).toMatchObject({ statusCode: 500, error: "Internal Server Error" });
  const health = await edge.call("GET", "/health");
  expect(health.status).toBe(503);
  const record = await jsonOf(health);
  expect(record).toMatchObject({ status: "error", misconfigured: { oracle: ["ORACLE_SIGNING_SEED"] } });
  expect(JSON.stringify(record)).not.toContain("secret");
});
