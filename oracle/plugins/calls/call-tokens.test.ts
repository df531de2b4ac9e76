/** Tokens for the rooms of calls. */
import { TokenVerifier } from "livekit-server-sdk";
import { describe, expect, test } from "vitest";
import type { HomeserverPeer } from "../../../test/support/peers/homeserver.ts";
import { createLogger } from "../../../platform/log.ts";
import { responseOf } from "../../../test/support/plugins/route-answer.ts";
import type { RouteContext } from "../../framework/plugin-routes.ts";
import { callSettings } from "./settings.ts";
import { sfuRoute, TOKEN_SECONDS, TOKENS_PER_MINUTE } from "./sfu-route.ts";
import { startPeer } from "../../../test/support/plugins/call-peers.ts";

describe("a token for the room of a call [OR-381]", () => {
  const livekit = { LIVEKIT_URL: "wss://sfu.example", LIVEKIT_API_KEY: "key", LIVEKIT_API_SECRET: "s".repeat(32) };
  const lines: string[] = [];

  function body(change: Readonly<Record<string, string>> = {}, more: Readonly<Record<string, unknown>> = {}) {
    const openid_token = {
      access_token: "peer-openid-token",
      token_type: "Bearer",
      matrix_server_name: "home.example",
      expires_in: 3600,
      ...change,
    };
    return { room: "!room:home.example", openid_token, device_id: "DEVICE", ...more };
  }

  async function ask(
    peer: HomeserverPeer,
    sent: unknown,
    { variables = {}, nowMs = Date.now() }: { variables?: Readonly<Record<string, string>>; nowMs?: number } = {},
  ) {
    const settings = callSettings.parse({ ...livekit, ...peer.variables, ...variables });
    const route = sfuRoute({ settings, fetch, clock: () => nowMs });
    const request = new Request("https://oracle.test/sfu/get", {
      method: "POST",
      body: typeof sent === "string" ? sent : JSON.stringify(sent),
    });
    const logger = createLogger({}, (_level, line) => lines.push(line));
    const response = responseOf(await route.handler(request, { requestId: "req-1", logger } as RouteContext));
    const given = await response.json<Readonly<Record<string, string>>>();
    return { status: response.status, body: given, jwt: given["jwt"] ?? "" };
  }

  test("the official library accepts it for ten minutes, for this user, device and room", async () => {
    const peer = await startPeer();
    const { status, body: given, jwt } = await ask(peer, body());
    expect(status).toBe(200);
    expect(given["url"]).toBe("wss://sfu.example");
    const claims = await new TokenVerifier("key", "s".repeat(32)).verify(jwt);
    expect(claims).toMatchObject({
      sub: "@ada:home.example:DEVICE",
      iss: "key",
      video: { roomJoin: true, room: "!room:home.example", canPublish: true, canSubscribe: true },
    });
    expect(claims.video).not.toHaveProperty("roomAdmin");
    expect(claims.video).not.toHaveProperty("roomCreate");
    expect(Number(claims.exp) - Number(claims.nbf)).toBe(TOKEN_SECONDS);
    expect(TOKEN_SECONDS).toBe(600);
    await expect(new TokenVerifier("key", "t".repeat(32)).verify(jwt)).rejects.toThrow("signature");
    const old = await ask(peer, body(), { nowMs: Date.now() - 700_000 });
    await expect(new TokenVerifier("key", "s".repeat(32)).verify(old.jwt)).rejects.toThrow("exp");
  });

  test("a token that the homeserver does not confirm is refused", async () => {
    const peer = await startPeer();
    expect(await ask(peer, body({ access_token: "another" }))).toMatchObject({
      status: 401,
      body: { errcode: "M_UNAUTHORIZED", statusCode: 401 },
    });
  });

  test("a homeserver that is not on the list is not asked, however it is spelt", async () => {
    const peer = await startPeer();
    for (const matrix_server_name of [
      "evil.example",
      "127.0.0.1",
      "home.example:443",
      "HOME.example",
      "home.example/",
      "__proto__",
    ])
      expect(await ask(peer, body({ matrix_server_name })), matrix_server_name).toMatchObject({ status: 401 });
    expect(await ask(peer, body(), { variables: { CALLS_HOMESERVERS: "" } })).toMatchObject({ status: 401 });
    expect(peer.paths).toEqual([]);
  });

  test("a homeserver speaks for its own users alone", async () => {
    const peer = await startPeer();
    for (const sub of ["@ada:other.example", "@ada:home.example.evil", "ada", "@ada", "@ada:home.example:8448"]) {
      peer.openIdTokens.set("lie", sub);
      expect(await ask(peer, body({ access_token: "lie" })), sub).toMatchObject({ status: 401 });
    }
  });

  test("a body without room, token or server is M_BAD_JSON, and sends no request", async () => {
    const peer = await startPeer();
    for (const wrong of [
      "",
      "{",
      "[]",
      {},
      body({}, { room: "" }),
      body({ access_token: "" }),
      body({ matrix_server_name: "" }),
    ])
      expect(await ask(peer, wrong)).toMatchObject({ status: 400, body: { errcode: "M_BAD_JSON" } });
    expect(peer.paths).toEqual([]);
  });

  test("a network may ask for 60 tokens in a minute [OR-486]", () => {
    const settings = callSettings.parse(livekit);
    expect(sfuRoute({ settings, fetch, clock: () => 0 }).requestsPerMinute).toBe(TOKENS_PER_MINUTE);
    expect(TOKENS_PER_MINUTE).toBe(60);
  });

  test("without LiveKit there is no such route [OR-383]", async () => {
    const peer = await startPeer();
    expect(await ask(peer, body(), { variables: { LIVEKIT_URL: "" } })).toMatchObject({ status: 404 });
  });

  test("the OpenID token is in no log line [OR-382]", async () => {
    const peer = await startPeer();
    await ask(peer, body({ access_token: "hidden-token" }));
    await ask(peer, body({ access_token: "hidden-token" }), {
      variables: { CALLS_HOMESERVERS: "home.example=http://127.0.0.1:1" },
    });
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join("\n")).not.toContain("hidden-token");
  });
});
