/** Sign-in as a turn uses it: headers, links, and the handling of a server's refusal. */
import { afterEach, describe, expect, test } from "vitest";
import { startOAuthServer, type OAuthServer } from "../../../test/support/peers/oauth-server.ts";
import { runtimeContext } from "../../../test/support/plugins/small-plugins.ts";
import { mcpServer, ORACLE, signIn, signInWorld } from "../../../test/support/plugins/sign-ins-in-node.ts";
import type { Authorization } from "./authorization.ts";
import { oauthAuthorization } from "./oauth.ts";

const ADA = "did:key:zAda";
const server = mcpServer("calendar", "http://127.0.0.1:9/mcp");
const running: OAuthServer[] = [];

afterEach(async () => {
  for (const peer of running.splice(0)) await peer.stop();
});

async function setUp(env = {}) {
  const peer = await startOAuthServer({ readsDocuments: false });
  running.push(peer);
  const world = signInWorld([server]);
  const { oracleKv, sealing } = world.context;
  world.clock.now = Date.now();
  const ctx = runtimeContext({
    env: env as Env,
    user: { did: ADA, isPersonal: true, payer: ADA, currentTime: new Date().toISOString() },
    kv: world.kvOf(ADA),
    oracleKv,
    sealing,
    logger: world.context.logger,
  });
  const challenge = (more = "") => `Bearer resource_metadata="${peer.resourceMetadataUrl(server.url)}"${more}`;
  const refused = (status: 401 | 403, wwwAuthenticate: string | undefined, headers?: Record<string, string>) =>
    oauthAuthorization.refused(server, { status, wwwAuthenticate, ...(headers === undefined ? {} : { headers }) }, ctx);
  return { peer, world, challenge, refused, headersFor: () => oauthAuthorization.headersFor(server, ctx) };
}

function linkIn(answer: Authorization): string {
  if (answer.kind !== "sign-in") throw new Error(`no link: ${JSON.stringify(answer)}`);
  return answer.url;
}

function bearerIn(answer: Authorization): string {
  if (answer.kind !== "headers") throw new Error(`no headers: ${JSON.stringify(answer)}`);
  return (answer.headers["Authorization"] ?? "").replace("Bearer ", "");
}

describe("a turn", () => {
  test("gets a link from the server's metadata, and headers once the user has signed in [OR-300]", async () => {
    const { peer, world, challenge, refused, headersFor } = await setUp();
    expect(linkIn(await headersFor())).toMatch(/^\/mcp\/oauth\/start\?ticket=v1\./);
    expect((await signIn(world, linkIn(await refused(401, challenge())), "ada")).status).toBe(200);
    expect(peer.holderOf(bearerIn(await headersFor()))).toMatchObject({ person: "ada" });
  });

  test("gets an absolute link if the operator configures the address", async () => {
    const { headersFor } = await setUp({ PUBLIC_URL: `${ORACLE}/` });
    expect(linkIn(await headersFor())).toMatch(/^https:\/\/oracle\.example\/mcp\/oauth\/start\?ticket=v1\./);
  });

  test("gets another token after a refusal, one more, and then a link [OR-305, OR-508]", async () => {
    const { peer, world, challenge, refused, headersFor } = await setUp();
    await signIn(world, linkIn(await refused(401, challenge())), "ada");
    const first = await headersFor();
    peer.expireAccess();
    const sent = { Authorization: `Bearer ${bearerIn(first)}` };
    const second = await refused(401, challenge(), sent);
    expect(peer.holderOf(bearerIn(second))).toBeDefined();
    // A concurrent call was refused with the first token: it gets the second one without a request.
    expect(await refused(401, challenge(), sent)).toEqual(second);
    expect(peer.tokenRequests).toHaveLength(2);
    const third = await refused(401, challenge(), { Authorization: `Bearer ${bearerIn(second)}` });
    expect(peer.holderOf(bearerIn(third))).toBeDefined();
    expect(await refused(401, challenge(), { Authorization: `Bearer ${bearerIn(third)}` })).toMatchObject({
      kind: "sign-in",
    });
    expect(await headersFor()).toMatchObject({ kind: "sign-in" });
  });

  test("gets a sign-in for more scope when a token has too little, and nothing for another 403", async () => {
    const { world, challenge, refused } = await setUp();
    await signIn(world, linkIn(await refused(401, challenge())), "ada");
    const link = linkIn(await refused(403, challenge(', error="insufficient_scope", scope="book"')));
    const id = (await world.kvOf(ADA).list("oauth/ticket/")).keys.at(-1)?.replace("oauth/ticket/", "") ?? "";
    const text = await world.context.sealing.open(
      String(await world.kvOf(ADA).get(`oauth/ticket/${id}`)),
      `mcp ticket of ${ADA} ${id}`,
    );
    expect(JSON.parse(text ?? "{}")).toMatchObject({ scope: "tools book" });
    expect((await signIn(world, link, "ada")).status).toBe(200);
    expect(await refused(403, undefined)).toEqual({ kind: "unavailable", reason: "forbidden" });
  });
});
