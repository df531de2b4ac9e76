/**
 * Access to the tools of an MCP server: with an invocation for each call, after an operator accepted it, after a
 * sign-in.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pin as StoredPin } from "../../oracle/plugins/mcp/pins.ts";
import { defineOraclePlugin } from "../../oracle/framework/plugin.ts";
import { testOracle } from "../../workers/oracle/testing/index.ts";
import { createMcp, platform } from "../../oracle/plugins/mcp/plugin.ts";
import { MAX_SERVER_NAME_LENGTH } from "../../oracle/plugins/mcp/settings.ts";
import { withoutBrowser } from "../../oracle/plugins/mcp/sign-in.ts";
import { eras, mcpWithClock, noticesOf, oracleWith } from "../support/plugins/mcp-oracle.ts";
import { startControlledPeer } from "../support/plugins/mcp-peer-control.ts";

/** Few, because each step is a turn. */
const SEQUENCES = 25;

interface Pin extends StoredPin {
  readonly server: string;
  readonly tool: string;
}

describe("a server that requires an invocation for each call [OR-289]", () => {
  const entityDid = "did:ixo:entity:oracle";
  const readNote = { can: "mcp/call", with: `ixo:oracle:${entityDid}:mcp/guarded/read_note` };
  const call = '/tool guarded__read_note {"id":"7"}';
  const refused = "MCP tool guarded__read_note requires a valid invocation";

  async function setUp(era: "new" | "old" = "new") {
    const peer = await startControlledPeer({ era, name: "guarded", auth: "ucan", bearer: "*", guards: "calls" });
    const oracle = await oracleWith([peer], { ORACLE_ENTITY_DID: entityDid });
    const say = async (invocation: string | undefined, user = oracle) => {
      const mcpInvocations: Record<string, string> = invocation === undefined ? {} : { guarded__read_note: invocation };
      const { toolCalls } = await user.say(call, { mcpInvocations });
      return toolCalls[0]?.output;
    };
    return { peer, oracle, say };
  }

  test.each(eras)("a valid one is passed on, once, in the %s era", async (era) => {
    const { peer, oracle, say } = await setUp(era);
    const invocation = await oracle.user.invocation(readNote);
    expect(await say(invocation)).toBe("note 7");
    const { requests } = await peer.seen();
    expect(requests.findLast(({ rpc }) => rpc === "tools/call")?.headers).toMatchObject({
      authorization: `Bearer ${invocation}`,
      "x-auth-type": "ucan",
    });
    expect(
      requests.filter(({ rpc }) => rpc === "tools/list").every(({ headers }) => headers["authorization"] === undefined),
    ).toBe(true);
    expect(await say(invocation)).toBe(refused);
    expect(await say(invocation, await oracle.anotherSession())).toBe(refused);
    expect(await say(await oracle.user.invocation(readNote))).toBe("note 7");
    expect((await peer.seen()).calls).toEqual(["read_note", "read_note"]);
  });

  test("a missing one, or one of another user, audience, tool, server or time is refused before the server is called", async () => {
    const { peer, oracle, say } = await setUp();
    const other = await oracle.anotherUser();
    const wrong = [
      undefined,
      "no token",
      await other.user.invocation(readNote),
      await oracle.user.invocation({ ...readNote, audience: "did:ixo:somebody" }),
      await oracle.user.invocation({ ...readNote, with: readNote.with.replace("read_note", "write_note") }),
      await oracle.user.invocation({ ...readNote, with: readNote.with.replace("guarded", "open") }),
      await oracle.user.invocation({ ...readNote, can: "mcp/list" }),
      await oracle.user.invocation({ ...readNote, expiration: 1_700_000_000 }),
    ];
    for (const invocation of wrong) expect(await say(invocation)).toBe(refused);
    expect((await peer.seen()).requests.filter(({ rpc }) => rpc === "tools/call")).toEqual([]);
  });

  test("two concurrent turns with one token: one of them", async () => {
    const { oracle, say } = await setUp();
    const invocation = await oracle.user.invocation(readNote);
    const sessions = await Promise.all([oracle.anotherSession(), oracle.anotherSession()]);
    const outputs = await Promise.all(sessions.map((session) => say(invocation, session)));
    expect(new Set(outputs)).toEqual(new Set([refused, "note 7"]));
  });

  test("used ones are forgotten after they expire", async () => {
    const { oracle, say } = await setUp();
    const kv = oracle.kv("mcp");
    await kv.set("used/001700000000/old", "call");
    expect(await say(await oracle.user.invocation(readNote))).toBe("note 7");
    await expect.poll(async () => (await kv.list("used/")).keys.length).toBe(1);
    expect(await kv.get("used/001700000000/old")).toBeUndefined();
  });
});

describe("a pinned server [OR-288]", () => {
  const operator = { Authorization: "Bearer operator-token-of-the-test" };
  const env = { MCP_OPERATOR_TOKEN: "operator-token-of-the-test" };

  test("a changed tool is off for all users until the operator accepts it", async () => {
    const peer = await startControlledPeer({ name: "notes", pin: true });
    const { plugin, later } = mcpWithClock();
    const oracle = await oracleWith([peer], env, plugin);
    const pins = async () =>
      (await (await oracle.fetch("/mcp/pins", { anonymous: true, headers: operator })).json<{ pins: Pin[] }>()).pins;
    const accept = async (body: object) =>
      (
        await oracle.fetch("/mcp/pins", {
          method: "POST",
          anonymous: true,
          headers: { ...operator, "Content-Type": "application/json" },
          body: JSON.stringify(body),
        })
      ).status;
    await oracle.say("hello");
    expect((await pins()).every(({ waiting }) => waiting === undefined)).toBe(true);
    await peer.order("describe", "Sends all notes to somebody else.");
    later();
    const other = await oracle.anotherUser();
    expect(noticesOf(await other.say("hello"))).toEqual([expect.stringContaining("notes__changing")]);
    expect(oracle.tools).not.toContain("notes__changing");
    const changed = (await pins()).find(({ waiting }) => waiting !== undefined);
    expect(changed).toMatchObject({ server: "notes", tool: "changing" });
    const { server, tool, accepted, waiting } = changed ?? {};
    expect(await accept({ server, tool, hash: "0".repeat(64) })).toBe(409);
    expect(await accept({ server: "other", tool, hash: waiting })).toBe(409);
    expect(await accept({ server, tool, hash: waiting })).toBe(200);
    expect(await accept({ server, tool, hash: waiting })).toBe(200);
    expect(await accept({ server, tool, hash: accepted })).toBe(409);
    later();
    await (await oracle.anotherUser()).say("hello");
    expect(oracle.tools).toContain("notes__changing");
    await oracle.say("hello");
    expect(oracle.tools).not.toContain("notes__changing");
  });

  test("the routes are for the operator only, and do not exist without one", async () => {
    const peer = await startControlledPeer({ name: "notes", pin: true });
    const oracle = await oracleWith([peer], env);
    for (const authorization of ["", "Bearer wrong", "Bearer ", "Basic x"]) {
      const headers = { Authorization: authorization };
      expect((await oracle.fetch("/mcp/pins", { anonymous: true, headers })).status).toBe(401);
    }
    expect((await oracle.fetch("/mcp/pins")).status).toBe(401);
    const none = await oracleWith([peer]);
    expect((await none.fetch("/mcp/pins", { anonymous: true, headers: operator })).status).toBe(404);
    const empty = await oracleWith([peer], { MCP_OPERATOR_TOKEN: "" });
    expect((await empty.fetch("/mcp/pins", { anonymous: true, headers: { Authorization: "Bearer " } })).status).toBe(
      404,
    );
  });
});

describe("a server where each user signs in [OR-292]", () => {
  /** A test's sign-in: a user gets the token of their DID once the test allows it. */
  function mcpWithSignIn() {
    const signedIn = new Set<string>();
    const url = "https://oracle.test/mcp/oauth/start";
    const plugin = createMcp({
      ...platform,
      authorization: {
        headersFor: async (_server, { user }) =>
          signedIn.has(user.did)
            ? { kind: "headers", headers: { Authorization: `Bearer ${user.did}` } }
            : { kind: "sign-in", url },
        refused: async () => ({ kind: "sign-in", url }),
      },
    });
    return { plugin, url, signedIn };
  }

  test("one tool represents the unknown ones; after the user has signed in they stay listed", async () => {
    const peer = await startControlledPeer({ name: "notes", auth: "oauth", bearer: "*", ttlMs: 0 });
    const { plugin, url, signedIn } = mcpWithSignIn();
    const oracle = await oracleWith([peer], {}, plugin);
    const before = await oracle.say("/tool notes__sign_in {}");
    expect(oracle.tools).toEqual(["notes__sign_in"]);
    expect(before.toolCalls[0]?.output).toContain("sign in to notes first");
    expect(before.events.find(({ name }) => name === "mcp_auth_required")?.payload).toMatchObject({
      server: "notes",
      url,
    });
    signedIn.add(oracle.user.did);
    expect((await oracle.say('/tool notes__read_note {"id":"7"}')).toolCalls[0]?.output).toBe("note 7");
    expect(oracle.tools).not.toContain("notes__sign_in");
    signedIn.clear();
    const after = await oracle.say('/tool notes__read_note {"id":"7"}');
    expect(oracle.tools).toContain("notes__read_note");
    expect(after.toolCalls[0]?.output).toContain("sign in to notes first");
    expect(after.events.map(({ name }) => name)).toContain("mcp_auth_required");
    await (await oracle.anotherUser()).say("hello");
    expect(oracle.tools).toEqual(["notes__sign_in"]);
  });

  test("a token that the server refuses requires another sign-in", async () => {
    const peer = await startControlledPeer({ name: "notes", auth: "oauth", bearer: "another token" });
    const { plugin, signedIn } = mcpWithSignIn();
    const oracle = await oracleWith([peer], {}, plugin);
    signedIn.add(oracle.user.did);
    const turn = await oracle.say("hello");
    expect(turn.notices).toEqual([]);
    expect(oracle.tools).toEqual(["notes__sign_in"]);
  });

  test("no token and no list of one user is ever used for another, in any order [OR-293]", async () => {
    const peer = await startControlledPeer({ name: "notes", auth: "oauth", bearer: "*", echoesBearer: true, ttlMs: 0 });
    const { plugin, signedIn } = mcpWithSignIn();
    const first = await oracleWith([peer], {}, plugin);
    const users = [first, await first.anotherUser(), await first.anotherUser()];
    const didsIn = (value: unknown) =>
      users.flatMap(({ user }) => (JSON.stringify(value).includes(user.did) ? [user.did] : []));
    const step = fc.record({
      user: fc.nat({ max: users.length - 1 }),
      does: fc.constantFrom("sign-in", "sign-out", "call", "call"),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uniqueArray(step, { selector: ({ user }) => user, minLength: 1 }), { maxLength: 4 }),
        async (rounds) => {
          for (const round of rounds)
            await Promise.all(
              round.map(async ({ user, does }) => {
                const oracle = users[user] ?? first;
                const { did } = oracle.user;
                if (does === "sign-in") signedIn.add(did);
                if (does === "sign-out") signedIn.delete(did);
                if (does !== "call") return;
                const { toolCalls } = await oracle.say(`/tool notes__whoami ${JSON.stringify({ for: did })}`);
                const output = JSON.stringify(toolCalls[0]?.output ?? null);
                // A signed-out user reaches no server, whatever others have.
                expect(didsIn(output)).toEqual(signedIn.has(did) ? [did] : []);
              }),
            );
        },
      ),
      { numRuns: SEQUENCES },
    );
    // The description of whoami names the user whose token read the list, and each message names its user.
    for (const { prompt, tools } of first.modelRequests) {
      const listedFor = didsIn(tools);
      expect(didsIn(prompt)).toEqual(expect.arrayContaining(listedFor));
    }
    expect(first.modelRequests.flatMap(({ tools }) => didsIn(tools)).length).toBeGreaterThan(0);
    const mixed = (await peer.seen()).requests.filter(
      ({ headers }) => !users.some(({ user }) => headers["authorization"] === `Bearer ${user.did}`),
    );
    expect(mixed).toEqual([]);
  });

  test("by phone a call is answered with one sentence that fits a screen, without asking", async () => {
    const peer = await startControlledPeer({ name: "notes", auth: "oauth", bearer: "*" });
    const { plugin, signedIn } = mcpWithSignIn();
    const phone = turnsOf("ussd", '/tool notes__read_note {"id":"7"}');
    const oracle = await testOracle({
      plugins: [plugin, phone],
      env: { ENVIRONMENT: "development", MCP_SERVERS: JSON.stringify([peer.entry]) },
    });
    signedIn.add(oracle.user.did);
    await oracle.say("hello");
    expect(oracle.tools).toContain("notes__read_note");
    const { value } = await (
      await oracle.fetch("/elsewhere", { method: "POST" })
    ).json<{ value: { sessionId: string } }>();
    const sentence = withoutBrowser("notes");
    await expect
      .poll(async () => (await oracle.fetch(`/messages/${value.sessionId}`)).text())
      .toContain(`Tool notes__read_note returned: ${sentence}`);
    expect((await peer.seen()).calls).toEqual([]);
    expect(withoutBrowser("n".repeat(MAX_SERVER_NAME_LENGTH)).length).toBeLessThanOrEqual(120);
  });

  test("in a chat service no link is shown, because other readers could use it", async () => {
    const peer = await startControlledPeer({ name: "notes", auth: "oauth", bearer: "*" });
    const { plugin } = mcpWithSignIn();
    const oracle = await testOracle({
      plugins: [plugin, turnsOf("slack", "/tool notes__sign_in {}")],
      env: { ENVIRONMENT: "development", MCP_SERVERS: JSON.stringify([peer.entry]) },
    });
    const { value } = await (
      await oracle.fetch("/elsewhere", { method: "POST" })
    ).json<{ value: { sessionId: string } }>();
    await expect
      .poll(async () => (await oracle.fetch(`/messages/${value.sessionId}`)).text())
      .toContain(`Tool notes__sign_in returned: ${withoutBrowser("notes")}`);
  });
});

/** `POST /elsewhere` starts a turn of the caller, as a plugin does for a message that arrived by another channel. */
function turnsOf(client: string, message: string) {
  return defineOraclePlugin({
    name: "elsewhere",
    version: "1.0.0",
    manifest: { title: "Elsewhere", summary: "Elsewhere", whenToUse: [], visibility: "silent" },
    getRoutes: () => [
      {
        method: "post",
        path: "/elsewhere",
        async handler(_request, { turns, user }) {
          const did = user?.did ?? "";
          return Response.json(await turns.start({ did, session: "s", title: "s", message, messageId: "m", client }));
        },
      },
    ],
  });
}
