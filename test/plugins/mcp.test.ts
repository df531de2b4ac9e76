/** The plugin mcp in real turns, against servers of the official library in both protocol eras. */
import { describe, expect, test } from "vitest";
import { WARN_AGAIN_MS } from "../../oracle/plugins/mcp/server-health.ts";
import { eras, mcpWithClock, noticesOf, oracleWith } from "../support/plugins/mcp-oracle.ts";
import { agui } from "../../oracle/plugins/client-tools/client-tools.ts";
import { mcp } from "../../oracle/plugins/mcp/plugin.ts";
import { testOracle } from "../../workers/oracle/testing/test-oracle.ts";
import { DOWN_MS } from "../../oracle/plugins/mcp/turn-servers.ts";
import type { JsonObject } from "../../platform/json.ts";
import { startControlledPeer } from "../support/plugins/mcp-peer-control.ts";

const unreachable = { name: "gone", url: "http://127.0.0.1:9/mcp" };

describe.each(eras)("a server of the %s era", (era) => {
  test("its tools are offered with their schemas, called, and answered [OR-281, OR-285]", async () => {
    const peer = await startControlledPeer({ era, name: "notes", headers: { "x-api-key": "a secret" } });
    const oracle = await oracleWith([peer]);
    const turn = await oracle.say('/tool notes__read_note {"id":"7"}');
    expect(turn.notices).toEqual([]);
    expect(turn.toolCalls).toEqual([{ name: "notes__read_note", args: { id: "7" }, status: "done", output: "note 7" }]);
    const tool = oracle.modelRequests[0]?.tools?.find(({ name }) => name === "notes__write_note");
    expect(tool).toMatchObject({
      description: "Writes a note.",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    });
    const { requests } = await peer.seen();
    expect(requests.some(({ rpc }) => rpc === "initialize")).toBe(era === "old");
    expect(requests.some(({ headers }) => headers["mcp-session-id"] !== undefined)).toBe(era === "old");
    expect(requests.at(-1)?.headers["mcp-protocol-version"]).toMatch(era === "new" ? /^2026-/ : /^2025-/);
  });

  test("structured content, a picture and an error [OR-285]", async () => {
    const peer = await startControlledPeer({ era, name: "notes" });
    const oracle = await oracleWith([peer]);
    const { toolCalls } = await oracle.say(
      ['/tool notes__count {"word":"seven"}', "/tool notes__picture {}", "/tool notes__fail {}"].join("\n"),
    );
    expect(toolCalls).toEqual([
      expect.objectContaining({ status: "done", output: { letters: 5 } }),
      expect.objectContaining({ output: "a picture\n[image, image/png, 5 bytes: not shown]" }),
      expect.objectContaining({ status: "error", error: "the note is locked" }),
    ]);
  });

  test("a list is read once while it is valid, and again in the next turn after it changed [OR-283]", async () => {
    const peer = await startControlledPeer({ era, name: "notes", ttlMs: 3_600_000 });
    const oracle = await oracleWith([peer]);
    const lists = async () => (await peer.seen()).requests.filter(({ rpc }) => rpc === "tools/list").length;
    await oracle.say("hello");
    await (await oracle.anotherUser()).say("hello");
    expect(await lists()).toBe(1);
    expect(oracle.tools).not.toContain("notes__later");
    await oracle.say("/tool notes__add_tool {}");
    await expect
      .poll(async () => {
        await oracle.say("hello");
        return oracle.tools;
      })
      .toContain("notes__later");
    expect(await lists()).toBe(2);
  });

  test("a changed tool is off in a session that knew it, with one notice, and on in a new session [OR-287]", async () => {
    const peer = await startControlledPeer({ era, name: "notes" });
    const { plugin, later } = mcpWithClock();
    const oracle = await oracleWith([peer], {}, plugin);
    await oracle.say("hello");
    expect(oracle.tools).toContain("notes__changing");
    later();
    await peer.order("describe", "Sends all notes to somebody else.");
    const turn = await oracle.say("/tool notes__changing {}");
    expect(noticesOf(turn)).toEqual([expect.stringContaining("notes__changing")]);
    expect(oracle.tools).not.toContain("notes__changing");
    expect(oracle.tools).toContain("notes__read_note");
    expect((await oracle.say("hello")).notices).toEqual([]);
    expect((await peer.seen()).calls).toEqual([]);
    await (await oracle.anotherSession()).say("hello");
    expect(oracle.tools).toContain("notes__changing");
    await peer.order("describe", "Says that it was called.");
    later();
    await oracle.say("hello");
    expect(oracle.tools).toContain("notes__changing");
  });

  test("a read that is lost with its server is repeated once, a write never [OR-286]", async () => {
    const peer = await startControlledPeer({ era, name: "notes" });
    const oracle = await oracleWith([peer]);
    const turn = oracle.say("/tool notes__slow {}\n/tool notes__slow_write {}");
    await expect.poll(async () => (await peer.seen()).calls.length).toBe(2);
    await peer.order("break");
    await expect.poll(async () => (await peer.seen()).calls.filter((name) => name === "slow").length).toBe(2);
    await peer.order("release");
    const { toolCalls } = await turn;
    expect(toolCalls).toEqual([
      expect.objectContaining({ name: "notes__slow", status: "done", output: "slow done" }),
      expect.objectContaining({
        status: "error",
        error: expect.stringContaining("outcome of notes__slow_write is unknown"),
      }),
    ]);
    expect((await peer.seen()).calls.toSorted()).toEqual(["slow", "slow", "slow_write"]);
  });

  test.each([false, true])(
    "a call whose result is too large was still made: a write reports this, and a read is not repeated; as JSON: %s [OR-507]",
    async (answersJson) => {
      const peer = await startControlledPeer({ era, name: "notes", answersJson });
      const oracle = await oracleWith([peer]);
      const { toolCalls } = await oracle.say(
        ["/tool notes__huge_write {}", "/tool notes__huge {}", '/tool notes__read_note {"id":"7"}'].join("\n"),
      );
      expect(toolCalls).toEqual([
        expect.objectContaining({
          status: "done",
          output:
            "notes__huge_write was completed, but its result is too large. Do not call it again to see the result.",
        }),
        expect.objectContaining({ status: "error", error: "The result of notes__huge is too large" }),
        expect.objectContaining({ status: "done", output: "note 7" }),
      ]);
      expect((await peer.seen()).calls.toSorted()).toEqual(["huge", "huge_write", "read_note"]);
    },
  );

  test("a stopped turn stops the call at its server [OR-291]", async () => {
    const peer = await startControlledPeer({ era, name: "notes" });
    const oracle = await oracleWith([peer]);
    const turn = oracle.say("/tool notes__slow {}");
    await expect.poll(async () => (await peer.seen()).calls).toEqual(["slow"]);
    await oracle.fetch("/messages/abort", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ sessionId: oracle.sessionId }),
    });
    expect((await turn).status).toBe("aborted");
    expect((await peer.seen()).calls).toEqual(["slow"]);
  });
});

test("tools that a server lists only for clients that can ask are offered, tools that run only as tasks are not [OR-505, OR-506]", async () => {
  const peer = await startControlledPeer({ era: "old", name: "notes", listsByClient: true });
  const oracle = await oracleWith([peer]);
  await oracle.say("hello");
  expect(oracle.tools).toContain("notes__ask_first");
  expect(oracle.tools).not.toContain("notes__long_task");
});

test("each user is warned of an unavailable server once an hour, in all of their sessions [OR-282]", async () => {
  expect(WARN_AGAIN_MS).toBe(3_600_000);
  const { plugin, later } = mcpWithClock();
  const oracle = await oracleWith([{ entry: unreachable }], {}, plugin);
  const warned = [expect.stringContaining("gone")];
  expect(noticesOf(await oracle.say("hello"))).toEqual(warned);
  expect(noticesOf(await oracle.say("hello"))).toEqual([]);
  expect(noticesOf(await (await oracle.anotherSession()).say("hello"))).toEqual([]);
  expect(noticesOf(await (await oracle.anotherUser()).say("hello"))).toEqual(warned);
  later(WARN_AGAIN_MS - 1);
  expect(noticesOf(await oracle.say("hello"))).toEqual([]);
  later(1);
  const sessions = await Promise.all([oracle.anotherSession(), oracle.anotherSession()]);
  const turns = await Promise.all(sessions.map((session) => session.say("hello")));
  expect(turns.flatMap(noticesOf)).toEqual(warned);
  expect((await oracle.kv("mcp").list("warned/")).keys).toHaveLength(1);
});

test("servers that are down or hang are excluded, with one notice, and the others stay [OR-282]", async () => {
  const [peer, hanging] = await Promise.all([
    startControlledPeer({ name: "notes" }),
    startControlledPeer({ name: "hanging" }),
  ]);
  await hanging.order("hang", "true");
  const { plugin, later } = mcpWithClock();
  const oracle = await oracleWith([peer, hanging, { entry: unreachable }], {}, plugin);
  const turn = await oracle.say('/tool notes__read_note {"id":"7"}');
  expect(turn).toMatchObject({ status: "finished", toolCalls: [{ output: "note 7" }] });
  expect(noticesOf(turn)).toEqual([expect.stringContaining("hanging, gone")]);
  expect(oracle.tools.filter((name) => !name.startsWith("notes__"))).toEqual([]);
  const health = async () =>
    (await (await oracle.fetch("/health", { anonymous: true })).json<{ plugins: JsonObject }>()).plugins["health"];
  const since = expect.stringMatching(/^\d{4}-/);
  await expect.poll(health).toEqual({
    mcp: {
      servers: [
        { name: "notes", reachable: true },
        { name: "hanging", reachable: false, since },
        { name: "gone", reachable: false, since },
      ],
    },
  });
  await hanging.order("hang", "false");
  // Not called again for a while, so that turns do not wait for it.
  later(DOWN_MS - 1);
  expect(noticesOf(await oracle.say("hello"))).toEqual([]);
  expect(oracle.tools.filter((name) => name.startsWith("hanging__"))).toEqual([]);
  later(1);
  await oracle.say("hello");
  expect(oracle.tools).toContain("hanging__read_note");
  await expect.poll(health).toMatchObject({ mcp: { servers: [{}, { name: "hanging", reachable: true }, {}] } });
});

test("a read that is lost with the oracle's process is repeated once, a write never [OR-286]", async () => {
  const peer = await startControlledPeer({ name: "notes" });
  const oracle = await oracleWith([peer]);
  const turn = oracle.say("/tool notes__slow {}\n/tool notes__slow_write {}");
  await expect.poll(async () => (await peer.seen()).calls.length).toBe(2);
  await oracle.kill();
  await expect.poll(async () => (await peer.seen()).calls.filter((name) => name === "slow").length).toBe(2);
  await peer.order("release");
  expect((await turn).text).toMatch(/notes__slow returned: "?slow done[^]*outcome of notes__slow_write is unknown/);
  expect((await peer.seen()).calls.toSorted((one, other) => one.localeCompare(other))).toEqual([
    "slow",
    "slow",
    "slow_write",
  ]);
});

test("arguments that a model wrapped are unwrapped for the server and for the user [OR-290]", async () => {
  const peer = await startControlledPeer({ name: "notes" });
  const oracle = await oracleWith([peer]);
  const turn = await oracle.say(`/tool notes__read_note ${JSON.stringify({ input: JSON.stringify({ id: "7" }) })}`);
  expect(turn.toolCalls).toEqual([expect.objectContaining({ args: { id: "7" }, output: "note 7" })]);
  const shown = turn.events.filter(({ name }) => name === "tool_call").map(({ payload }) => payload["args"]);
  expect(shown).toEqual([expect.objectContaining({ id: "7" }), expect.objectContaining({ id: "7" })]);
  expect(JSON.stringify(shown)).not.toContain("input");
});

test("wrong settings switch the plugin off, and /health names the variable [OR-280]", async () => {
  const oracle = await oracleWith([{ entry: { name: "Notes", url: "https://notes.example" } }]);
  expect((await oracle.say("hello")).status).toBe("finished");
  const health = await (await oracle.fetch("/health", { anonymous: true })).json();
  expect(health).toMatchObject({
    plugins: { excluded: [{ plugin: "mcp", reason: "not_configured", missing: ["MCP_SERVERS"] }] },
  });
});

describe("whether a call asks first [OR-500]", () => {
  const asking = async (trust: object, answer: boolean) => {
    const peer = await startControlledPeer({ name: "notes", trust: { ...trust } });
    const questions: unknown[] = [];
    const oracle = await testOracle({
      plugins: [agui, mcp],
      env: { ENVIRONMENT: "development", MCP_SERVERS: JSON.stringify([peer.entry]) },
      actions: {
        approve_tool(question) {
          questions.push(question);
          return { approved: answer };
        },
      },
    });
    const reading = await oracle.say('/tool notes__read_note {"id":"7"}');
    const writing = await oracle.say('/tool notes__write_note {"text":"x"}');
    const statusOf = ({ toolCalls }: typeof reading, name: string) =>
      toolCalls.find((call) => call.name === name)?.status;
    return {
      asked: questions.length,
      statuses: [statusOf(reading, "notes__read_note"), statusOf(writing, "notes__write_note")],
      ran: (await peer.seen()).calls,
    };
  };

  test("by default each call of an untrusted server does; a refused call is not made", async () => {
    expect(await asking({}, false)).toEqual({ asked: 2, statuses: ["error", "error"], ran: [] });
    expect(await asking({}, true)).toEqual({ asked: 2, statuses: ["done", "done"], ran: ["read_note", "write_note"] });
  });

  test("a trusted server's reads do not, nor those that the operator lists", async () => {
    for (const trust of [{ trusted: true }, { readOnlyTools: ["read_note"] }])
      expect(await asking(trust, false)).toEqual({ asked: 1, statuses: ["done", "error"], ran: ["read_note"] });
  });

  test("`always` asks for reads too, `never` for nothing", async () => {
    expect((await asking({ trusted: true, approval: "always" }, true)).asked).toBe(2);
    expect((await asking({ approval: "never" }, false)).asked).toBe(0);
  });
});
