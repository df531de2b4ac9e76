/** A sign-in from the link to the tokens, with real authorization servers: who may return, when, and with which answer. */
import { afterEach, describe, expect, test } from "vitest";
import {
  startOAuthServer,
  type OAuthServer,
  type OAuthServerOptions,
} from "../../../test/support/peers/oauth-server.ts";
import { browserIn, mcpServer, ORACLE, signIn, signInWorld } from "../../../test/support/plugins/sign-ins-in-node.ts";
import { SIGN_IN_MS } from "./oauth-single-use.ts";

const ADA = "did:key:z6MkAdaAdaAdaAdaAdaAdaAdaAdaAdaAdaAdaAda";
const BEN = "did:key:z6MkBenBenBenBenBenBenBenBenBenBenBenBen";
const server = mcpServer("calendar", "http://127.0.0.1:9/mcp");
const running: OAuthServer[] = [];

afterEach(async () => {
  for (const peer of running.splice(0)) await peer.stop();
});

async function setUp(options: OAuthServerOptions = {}) {
  const peer = await startOAuthServer({ readsDocuments: false, ...options });
  running.push(peer);
  const world = signInWorld([server]);
  const link = (did = ADA): Promise<string> => world.linkFor(did, server, peer.resourceMetadataUrl(server.url));
  return { peer, world, link };
}

async function textOf(response: Response): Promise<string> {
  return response.text();
}

describe("a sign-in", () => {
  test("leads from the link to a token of that user for that server [OR-300]", async () => {
    const { peer, world, link } = await setUp();
    const done = await signIn(world, await link(), "ada");
    expect(done.status).toBe(200);
    expect(await textOf(done)).toContain("You are signed in to calendar");
    const answer = await world.tokenFor(ADA, server);
    expect(answer).toMatchObject({ kind: "token" });
    expect(peer.holderOf(answer.kind === "token" ? answer.token : "")).toMatchObject({
      person: "ada",
      resource: server.url,
    });
    expect(await world.tokenFor(BEN, server)).toEqual({ kind: "sign-in" });
  });

  test("the page names oracle, server and account before anything is sent, and has no script [OR-303]", async () => {
    const { peer, world, link } = await setUp();
    const shown = await world.ask(await link());
    const page = await textOf(shown);
    for (const text of ["Test &#60;oracle&#62;", "calendar (127.0.0.1:9)", "did:key:z6MkAdaAda…AdaAda"])
      expect(page).toContain(text);
    expect(page).not.toContain("<oracle>");
    expect(page).not.toContain("<script");
    expect(shown.headers.get("Content-Security-Policy")).toMatch(
      /^default-src 'none'; style-src 'nonce-[\w-]{32}'; form-action 'self' https: .*base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(shown.headers.get("Cache-Control")).toBe("no-store");
    expect(peer.registrations).toEqual([]);
  });

  test("the link can be used once, by any visitor who continues; viewing it does not use it [OR-301]", async () => {
    const { world, link } = await setUp();
    const address = await link();
    const page = await textOf(await world.ask(address));
    await world.ask(address);
    expect((await browserIn(world).submit(page)).status).toBe(303);
    const again = await browserIn(world).submit(page);
    expect(again.status).toBe(400);
    expect(await textOf(again)).toContain("used already");
    expect((await world.ask(address)).status).toBe(400);
  });

  test("of two visitors who continue at once, one succeeds [OR-301]", async () => {
    const { world, link } = await setUp();
    const page = await textOf(await world.ask(await link()));
    const both = await Promise.all([browserIn(world).submit(page), browserIn(world).submit(page)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400]);
  });

  test("a link and a state expire after exactly ten minutes [OR-301]", async () => {
    expect(SIGN_IN_MS).toBe(600_000);
    const { world, link } = await setUp();
    const address = await link();
    world.clock.now += SIGN_IN_MS - 1;
    expect((await world.ask(address)).status).toBe(200);
    world.clock.now += 1;
    expect((await world.ask(address)).status).toBe(400);
    const browser = browserIn(world);
    const back = await browser.consent(await browser.setOut(await link()), "ada");
    world.clock.now += SIGN_IN_MS;
    const late = await browser.open(back);
    expect(late.status).toBe(400);
    expect(await textOf(late)).toContain("older than ten minutes");
    world.clock.now -= 1;
    expect((await browser.open(back)).status).toBe(200);
  });

  test("a used state is refused [OR-301]", async () => {
    const { peer, world, link } = await setUp();
    const browser = browserIn(world);
    const back = await browser.consent(await browser.setOut(await link()), "ada");
    const cookies = new Map(browser.cookies);
    expect((await browser.open(back)).status).toBe(200);
    // The link does not work again, even in a browser that kept its cookie.
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect((await browser.open(back)).status).toBe(400);
    expect(peer.tokenRequests).toEqual([{ grantType: "authorization_code", outcome: "issued" }]);
  });

  test.each(["", "x", "v1.AAAA"])("an invalid state or link is refused: %j [OR-301]", async (text) => {
    const { world } = await setUp();
    expect((await world.ask(`/mcp/oauth/start?ticket=${text}`)).status).toBe(400);
    expect((await world.ask(`/mcp/oauth/callback?state=${text}&code=c`)).status).toBe(400);
  });

  test("a link is not accepted as a state, nor a state as a link [OR-301]", async () => {
    const { world, link } = await setUp();
    const address = await link();
    const ticket = new URL(address, ORACLE).searchParams.get("ticket") ?? "";
    const browser = browserIn(world);
    const state = new URL(await browser.setOut(address)).searchParams.get("state") ?? "";
    expect((await browser.open(`/mcp/oauth/callback?state=${ticket}&code=c`)).status).toBe(400);
    expect((await browser.open(`/mcp/oauth/start?ticket=${state}`)).status).toBe(400);
  });

  test("a chat that asks again shows its link while it is valid for five more minutes", async () => {
    const { world, link } = await setUp();
    await link();
    const kept = async () => (await world.kvOf(ADA).list("oauth/ticket/")).keys;
    const first = await kept();
    await link();
    expect(await kept()).toEqual(first);
    world.clock.now += 300_001;
    await link();
    expect(await kept()).toHaveLength(2);
    world.clock.now += 600_000;
    await link();
    expect(await kept()).toHaveLength(1);
  });
});

describe("the account", () => {
  test("the callback works only in the browser that continued on the oracle's page [OR-302]", async () => {
    const { peer, world, link } = await setUp();
    const ada = browserIn(world);
    // Ada continues herself, and sends Ben the address of the authorization server instead of the link.
    const address = await ada.setOut(await link(ADA));
    const ben = browserIn(world);
    const back = await ben.consent(address, "ben");
    const refused = await ben.open(back);
    expect(refused.status).toBe(400);
    expect(await textOf(refused)).toContain("another browser");
    expect(await world.tokenFor(ADA, server)).toEqual({ kind: "sign-in" });
    expect(peer.tokenRequests).toEqual([]);
  });

  test("a state of another user's sign-in is refused with one's own cookie [OR-302]", async () => {
    const { world, link } = await setUp();
    const [ada, ben] = [browserIn(world), browserIn(world)];
    const backOfAda = await ada.consent(await ada.setOut(await link(ADA)), "ada");
    const backOfBen = await ben.consent(await ben.setOut(await link(BEN)), "ben");
    const crossed = new URL(backOfBen);
    crossed.searchParams.set("state", new URL(backOfAda).searchParams.get("state") ?? "");
    expect((await ben.open(crossed.href)).status).toBe(400);
    // Neither sign-in is affected.
    expect((await ada.open(backOfAda)).status).toBe(200);
    expect((await ben.open(backOfBen)).status).toBe(200);
  });

  test.each([["https://evil.example"], ["null"], [""]])(
    "the form is accepted from the same origin only, not from %j [OR-302]",
    async (origin) => {
      const { world, link } = await setUp();
      const address = await link();
      const page = await textOf(await world.ask(address));
      const refused = await browserIn(world).submit(page, {}, ORACLE, origin);
      expect(refused.status).toBe(403);
      expect(refused.headers.getSetCookie()).toEqual([]);
      expect((await world.ask(address)).status).toBe(200);
    },
  );

  test("the cookie is host-only, unreadable for scripts, and deleted afterwards [OR-302]", async () => {
    const { world, link } = await setUp();
    const browser = browserIn(world);
    const left = await browser.submit(await textOf(await browser.open(await link())));
    expect(left.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-mcp-sign-in-[\w-]+=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    await browser.open(await browser.consent(left.headers.get("Location") ?? "", "ada"));
    expect(browser.cookies.size).toBe(0);
  });
});

describe("the authorization server's answer", () => {
  test.each([
    ["names another issuer", "https://evil.example"],
    ["names none though the server announces that it does", null],
  ])("is refused before the code is sent anywhere if it %s [OR-304]", async (_what, answersAs) => {
    const { peer, world, link } = await setUp({ answersAs });
    const refused = await signIn(world, await link(), "ada");
    expect(refused.status).toBe(400);
    const page = await textOf(refused);
    expect(page).toContain("did not come from the service");
    expect(page).not.toContain("evil.example");
    expect(peer.tokenRequests).toEqual([]);
  });

  test("shows a page that says what to do after the user declines [OR-303]", async () => {
    const { world, link } = await setUp();
    const browser = browserIn(world);
    const refused = await browser.open(await browser.consent(await browser.setOut(await link()), "ada", "no"));
    expect(refused.status).toBe(400);
    const page = await textOf(refused);
    expect(page).toContain("cancelled or refused");
    expect(page).toContain("Go back to the chat");
  });

  test("leaves nothing stored after a token endpoint that breaks off, and the next link works", async () => {
    const { peer, world, link } = await setUp();
    peer.unreachable = true;
    expect((await signIn(world, await link(), "ada")).status).toBe(502);
    expect(await world.tokenFor(ADA, server)).toEqual({ kind: "sign-in" });
    peer.unreachable = false;
    expect((await signIn(world, await link(), "ada")).status).toBe(200);
  });
});

describe("the oracle's identity", () => {
  test("registers once for all users, and seals its stored secret [OR-306]", async () => {
    const { peer, world, link } = await setUp({ givesSecrets: true });
    expect((await signIn(world, await link(ADA), "ada")).status).toBe(200);
    expect((await signIn(world, await link(BEN), "ben")).status).toBe(200);
    expect(peer.registrations).toEqual(["client-1"]);
    const { keys } = await world.context.oracleKv.list("oauth/client/");
    expect(keys).toHaveLength(1);
    const stored = JSON.stringify(await world.context.oracleKv.get(keys[0] ?? ""));
    expect(stored).not.toContain(peer.secrets[0]);
  });

  test("the client document names its own address and the callback [OR-306]", async () => {
    const { world } = await setUp();
    expect(await (await world.ask("/.well-known/oauth-client.json")).json()).toEqual({
      client_id: `${ORACLE}/.well-known/oauth-client.json`,
      client_name: "Test <oracle>",
      client_uri: ORACLE,
      redirect_uris: [`${ORACLE}/mcp/oauth/callback`],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "web",
    });
  });

  test("uses its document without registering if the server reads documents [OR-306]", async () => {
    const { peer, world, link } = await setUp({ readsDocuments: true });
    const address = new URL(await browserIn(world).setOut(await link()));
    expect(address.searchParams.get("client_id")).toBe(`${ORACLE}/.well-known/oauth-client.json`);
    expect(peer.registrations).toEqual([]);
  });
});

test("the list shows the user's sign-ins, and signing out deletes one [OR-308]", async () => {
  const { peer, world, link } = await setUp();
  const list = async (did: string) => (await world.ask("/mcp/oauth", { did })).json();
  await signIn(world, await link(), "ada");
  expect(await list(ADA)).toEqual({
    servers: [{ name: "calendar", signedIn: true, issuer: peer.issuer, scope: "tools" }],
  });
  expect(await list(BEN)).toEqual({
    servers: [
      {
        name: "calendar",
        signedIn: false,
        url: expect.stringMatching(/^https:\/\/oracle\.example\/mcp\/oauth\/start\?ticket=v1\.[\w-]+$/),
      },
    ],
  });
  expect((await world.ask("/mcp/oauth")).status).toBe(401);
  const signOut = async (did: string) => (await world.ask("/mcp/oauth/calendar", { method: "DELETE", did })).json();
  expect(await signOut(BEN)).toEqual({ signedOut: false });
  expect(await world.tokenFor(ADA, server)).toMatchObject({ kind: "token" });
  expect(await signOut(ADA)).toEqual({ signedOut: true });
  expect(await world.tokenFor(ADA, server)).toEqual({ kind: "sign-in" });
});

test("tokens, codes and verifiers are in no log and not readable in storage [OR-309]", async () => {
  const { peer, world, link } = await setUp();
  await signIn(world, await link(), "ada");
  peer.expireAccess();
  world.clock.now += 3_600_000;
  await world.tokenFor(ADA, server);
  peer.revoke("ada");
  world.clock.now += 3_600_000;
  await world.tokenFor(ADA, server);
  await signIn(world, await link(), "ada");
  const kv = world.kvOf(ADA);
  const stored = await Promise.all((await kv.list()).keys.map((key) => kv.get(key)));
  expect(peer.secrets.length).toBeGreaterThan(6);
  const kept = JSON.stringify(stored) + world.lines.join("\n");
  for (const secret of peer.secrets) expect(kept).not.toContain(secret);
  expect(world.lines.some((line) => line.includes("mcp-signed-in"))).toBe(true);
});
