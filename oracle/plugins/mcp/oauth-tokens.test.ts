/** Tokens over time: refreshed once for many turns, deleted when the grant has ended, kept while the server does not answer. */
import { afterEach, describe, expect, test } from "vitest";
import { startOAuthServer, type OAuthServer } from "../../../test/support/peers/oauth-server.ts";
import { mcpServer, signIn, signInWorld } from "../../../test/support/plugins/sign-ins-in-node.ts";
import { EXPIRY_MARGIN_MS, grantsOf, NEW_TOKEN_MS } from "./oauth-grants.ts";
import { REFRESH_LEASE_MS, RETRY_MS, type TokenAnswer } from "./oauth-tokens.ts";

const ADA = "did:key:zAda";
const server = mcpServer("calendar", "http://127.0.0.1:9/mcp");
const HOUR_MS = 3_600_000;
const running: OAuthServer[] = [];

afterEach(async () => {
  for (const peer of running.splice(0)) await peer.stop();
});

async function signedIn() {
  const peer = await startOAuthServer({ readsDocuments: false });
  running.push(peer);
  const world = signInWorld([server]);
  const signInAgain = async (person = "ada") =>
    signIn(world, await world.linkFor(ADA, server, peer.resourceMetadataUrl(server.url)), person);
  expect((await signInAgain()).status).toBe(200);
  const refreshes = () => peer.tokenRequests.filter(({ grantType }) => grantType === "refresh_token");
  return { peer, world, signInAgain, refreshes, token: () => world.tokenFor(ADA, server) };
}

function tokenIn(answer: TokenAnswer): string {
  if (answer.kind !== "token") throw new Error(`no token: ${answer.kind}`);
  return answer.token;
}

describe("an expiring token", () => {
  test("is refreshed half a minute early, and used without a request until then [OR-305]", async () => {
    expect(EXPIRY_MARGIN_MS).toBe(30_000);
    const { peer, world, token, refreshes } = await signedIn();
    const first = tokenIn(await token());
    world.clock.now += HOUR_MS - EXPIRY_MARGIN_MS - 1;
    expect(tokenIn(await token())).toBe(first);
    expect(refreshes()).toEqual([]);
    world.clock.now += 1;
    const second = tokenIn(await token());
    expect(second).not.toBe(first);
    expect(peer.holderOf(second)).toMatchObject({ person: "ada", resource: server.url });
    expect(refreshes()).toHaveLength(1);
  });

  test("is refreshed by one of two or twenty turns, and all use the result [OR-305]", async () => {
    const { peer, world, token, refreshes } = await signedIn();
    for (const turns of [2, 20]) {
      world.clock.now += HOUR_MS;
      const before = refreshes().length;
      const gate = Promise.withResolvers<void>();
      peer.beforeToken = () => gate.promise;
      const answers = Promise.all(Array.from({ length: turns }, token));
      await new Promise((resolve) => setImmediate(resolve));
      gate.resolve();
      const tokens = new Set((await answers).map(tokenIn));
      expect(tokens.size).toBe(1);
      expect(peer.holderOf([...tokens][0] ?? "")).toBeDefined();
      expect(refreshes()).toHaveLength(before + 1);
    }
    // The rotation was not lost: the next one works too.
    world.clock.now += HOUR_MS;
    expect(await token()).toMatchObject({ kind: "token" });
  });

  test("is refreshed when the server refuses it, by the turn that has the newest [OR-305]", async () => {
    const { peer, world, token, refreshes } = await signedIn();
    const refused = tokenIn(await token());
    peer.expireAccess();
    const [one, other] = await Promise.all([
      world.tokenFor(ADA, server, refused),
      world.tokenFor(ADA, server, refused),
    ]);
    expect(tokenIn(one)).toBe(tokenIn(other));
    expect(tokenIn(one)).not.toBe(refused);
    expect(refreshes()).toHaveLength(1);
  });

  test("is refreshed by another turn after the lease of a lost turn [OR-305]", async () => {
    const { world, token, refreshes } = await signedIn();
    world.clock.now += HOUR_MS;
    const kv = world.kvOf(ADA);
    const grant = await grantsOf(kv, world.context.sealing, ADA).read(server);
    // The claim of a turn that died.
    await kv.set(`oauth/refresh/calendar/${grant?.generation}/0`, { at: world.clock.now });
    world.clock.now += REFRESH_LEASE_MS;
    expect(await token()).toMatchObject({ kind: "token" });
    expect(refreshes()).toHaveLength(1);
    expect((await kv.list("oauth/refresh/")).keys).toEqual([]);
    expect(REFRESH_LEASE_MS).toBe(15_000);
  });
});

describe("a token that is refused soon after its refresh", () => {
  async function refusedTwice() {
    const set = await signedIn();
    const { peer, world } = set;
    /** The server refuses this token; returns the answer that follows. */
    const refuse = async (token: string): Promise<TokenAnswer> => {
      peer.expireAccess();
      return world.tokenFor(ADA, server, token);
    };
    const listed = async () =>
      (await world.ask("/mcp/oauth", { did: ADA })).json<{ servers: { signedIn: boolean; url?: string }[] }>();
    const first = tokenIn(await set.token());
    const third = tokenIn(await refuse(tokenIn(await refuse(first))));
    return { ...set, refuse, listed, third };
  }

  test("is refreshed once more, and then the user must sign in, as the list of servers shows [OR-508]", async () => {
    expect(NEW_TOKEN_MS).toBe(60_000);
    const { peer, refuse, listed, third, token, signInAgain, refreshes } = await refusedTwice();
    expect(peer.holderOf(third)).toBeDefined();
    expect((await listed()).servers).toEqual([expect.objectContaining({ signedIn: true })]);
    expect(await refuse(third)).toEqual({ kind: "sign-in" });
    expect(await token()).toEqual({ kind: "sign-in" });
    expect((await listed()).servers).toEqual([{ name: "calendar", signedIn: false, url: expect.any(String) }]);
    expect(refreshes()).toHaveLength(2);
    expect((await signInAgain()).status).toBe(200);
    expect((await listed()).servers).toEqual([expect.objectContaining({ signedIn: true })]);
    expect(peer.holderOf(tokenIn(await token()))).toBeDefined();
  });

  test("is refreshed again after a minute, so that no sign-in is needed after a server recovers [OR-508]", async () => {
    const { peer, world, refuse, listed, third, token, refreshes } = await refusedTwice();
    await refuse(third);
    world.clock.now += NEW_TOKEN_MS - 1;
    expect(await token()).toEqual({ kind: "sign-in" });
    world.clock.now += 1;
    expect((await listed()).servers).toEqual([expect.objectContaining({ signedIn: true })]);
    expect(peer.holderOf(tokenIn(await token()))).toBeDefined();
    expect(refreshes()).toHaveLength(3);
  });

  test("is refreshed like any other a minute after its refresh [OR-508]", async () => {
    const { world, refuse, third, refreshes } = await refusedTwice();
    world.clock.now += NEW_TOKEN_MS;
    expect(await refuse(tokenIn(await refuse(third)))).toMatchObject({ kind: "token" });
    expect(refreshes()).toHaveLength(4);
  });

  test("keeps its refresh token with concurrent and lost turns [OR-508]", async () => {
    const { peer, world, refuse, third, token, refreshes } = await refusedTwice();
    const kv = world.kvOf(ADA);
    const grant = await grantsOf(kv, world.context.sealing, ADA).read(server);
    await kv.set(`oauth/refresh/calendar/${grant?.generation}/0`, { at: world.clock.now });
    const answers = Promise.all([refuse(third), refuse(third), refuse(third)]);
    world.clock.now += REFRESH_LEASE_MS;
    expect(await answers).toEqual([{ kind: "sign-in" }, { kind: "sign-in" }, { kind: "sign-in" }]);
    expect((await kv.list("oauth/refresh/")).keys).toEqual([]);
    world.clock.now += NEW_TOKEN_MS;
    const tokens = (await Promise.all([token(), token()])).map(tokenIn);
    expect(new Set(tokens).size).toBe(1);
    expect(peer.holderOf(tokens[0] ?? "")).toBeDefined();
    expect(refreshes()).toHaveLength(3);
  });

  test("needs a sign-in if it has no refresh token [OR-508]", async () => {
    const { world, listed, token } = await refusedTwice();
    const grants = grantsOf(world.kvOf(ADA), world.context.sealing, ADA);
    const grant = await grants.read(server);
    if (grant === undefined) throw new Error("not signed in");
    await grants.save("calendar", { ...grant, refreshToken: undefined });
    const last = tokenIn(await token());
    expect(await world.tokenFor(ADA, server, last)).toEqual({ kind: "sign-in" });
    for (const ms of [0, NEW_TOKEN_MS]) {
      world.clock.now += ms;
      expect(await token()).toEqual({ kind: "sign-in" });
      expect((await listed()).servers).toEqual([expect.objectContaining({ signedIn: false })]);
    }
  });
});

describe("a grant", () => {
  test("is deleted when its grant has ended, and the user signs in again [OR-307]", async () => {
    const { peer, world, token, signInAgain } = await signedIn();
    peer.revoke("ada");
    world.clock.now += HOUR_MS;
    expect(await token()).toEqual({ kind: "sign-in" });
    expect(peer.tokenRequests.at(-1)?.outcome).toBe("invalid_grant");
    expect((await world.kvOf(ADA).list("oauth/grant/")).keys).toEqual([]);
    await signInAgain();
    expect(await token()).toMatchObject({ kind: "token" });
  });

  test("is kept while the authorization server does not answer [OR-307]", async () => {
    const { peer, world, token, refreshes } = await signedIn();
    const first = tokenIn(await token());
    peer.unreachable = true;
    // The token has not expired yet, so it is still valid.
    world.clock.now += HOUR_MS - EXPIRY_MARGIN_MS;
    expect(tokenIn(await token())).toBe(first);
    world.clock.now += EXPIRY_MARGIN_MS;
    const answers = await Promise.all([token(), token(), token()]);
    for (const answer of answers)
      expect(answer).toEqual({ kind: "unavailable", reason: "authorization_server_unreachable" });
    // Once while the token was valid, once after it expired; waiting turns did not retry in sequence.
    expect(refreshes()).toHaveLength(2);
    await token();
    expect(refreshes()).toHaveLength(2);
    peer.unreachable = false;
    world.clock.now += RETRY_MS;
    expect(await token()).toMatchObject({ kind: "token" });
    expect(RETRY_MS).toBe(5_000);
  });

  test("is kept while the authorization server is out of order [OR-307]", async () => {
    const { peer, world, token } = await signedIn();
    peer.beforeToken = () => Promise.reject(new Error("database"));
    world.clock.now += HOUR_MS;
    expect(await token()).toMatchObject({ kind: "unavailable" });
    peer.beforeToken = () => undefined;
    world.clock.now += RETRY_MS;
    expect(await token()).toMatchObject({ kind: "token" });
  });

  test("is deleted if the server no longer knows the client [OR-307]", async () => {
    const { peer, world, token } = await signedIn();
    peer.forgetClients();
    world.clock.now += HOUR_MS;
    expect(await token()).toEqual({ kind: "sign-in" });
    expect(peer.tokenRequests.at(-1)?.outcome).toBe("invalid_client");
  });

  test("is replaced by a sign-in during its refresh [OR-305]", async () => {
    const { peer, world, token, signInAgain } = await signedIn();
    world.clock.now += HOUR_MS;
    const gate = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    peer.beforeToken = () => {
      peer.beforeToken = () => undefined;
      began.resolve();
      return gate.promise;
    };
    const refreshing = token();
    await began.promise;
    await signInAgain("ada at work");
    gate.resolve();
    await refreshing;
    expect(peer.holderOf(tokenIn(await token()))).toMatchObject({ person: "ada at work" });
  });

  test("belongs to the server's address: at another address, the user signs in again [OR-310]", async () => {
    const { world } = await signedIn();
    expect(await world.tokenFor(ADA, { ...server, url: "https://elsewhere.example/mcp" })).toEqual({ kind: "sign-in" });
  });

  test("does not open for another user or server [OR-310]", async () => {
    const { world } = await signedIn();
    const [ada, ben] = [world.kvOf(ADA), world.kvOf("did:key:zBen")];
    const stored = await ada.get("oauth/grant/calendar");
    await ben.set("oauth/grant/calendar", stored ?? null);
    await ada.set("oauth/grant/mail", stored ?? null);
    expect(await world.tokenFor("did:key:zBen", server)).toEqual({ kind: "sign-in" });
    expect(await world.tokenFor(ADA, { ...server, name: "mail" })).toEqual({ kind: "sign-in" });
  });
});
