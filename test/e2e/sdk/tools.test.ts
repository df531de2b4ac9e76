/**
 * Browser tools and actions of the SDK over the sockets of the running oracle: two tabs of a session, a tool that is registered
 * late, an oracle that is killed and restarted, and a token that expired meanwhile.
 */
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { createClientTools, type BrowserTool, type ClientTools } from "../../../sdk/src/core/client-tools.ts";
import { readOracleDid } from "../../../sdk/src/core/discovery.ts";
import { createOracleClient } from "../../../sdk/src/core/oracle-client.ts";
import { openSessionSocket, type SessionSocket } from "../../../sdk/src/core/socket.ts";
import type { Tokens } from "../../../sdk/src/core/tokens.ts";
import { disposeAfterTests } from "../../support/server/dispose-after-tests.ts";
import type { FrameReader } from "../../support/oracle/frame-reader.ts";
import { startRunningServer, type RunningServer } from "../../support/server/running-server.ts";
import { createSocketUser, type SocketUser } from "../../support/oracle/socket-user.ts";
import { mintInvocation, signer, type Signer } from "../../support/auth/ucan.ts";
import * as z from "zod";

const ALICE = 1;
/** Seconds of an invocation's life, longer than a test. */
const TOKEN_SECONDS = 800;

let server: RunningServer;
let oracleDid: string;
let user: Signer;
let alice: SocketUser;
const opened: SessionSocket[] = [];

const started = disposeAfterTests();
beforeAll(async () => {
  server = started(await startRunningServer());
  user = await signer(ALICE);
  alice = await createSocketUser(server.url, ALICE);
  oracleDid = await readOracleDid(server.url);
});
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close();
});

/** @param lives real lifetimes of the invocations in turn, seconds; each claims a long one. */
function clientOf(lives: readonly number[] = []) {
  const counted = { mints: 0 };
  const client = createOracleClient({
    oracleDid,
    userDid: user.did(),
    endpoints: { apiUrl: server.url },
    tokenStore: null,
    async createInvocation(audience) {
      const now = Math.floor(Date.now() / 1000);
      const life = lives[counted.mints] ?? TOKEN_SECONDS;
      counted.mints += 1;
      const serialized = await mintInvocation(user, audience, now + life);
      return { serialized, expiresAt: (now + TOKEN_SECONDS) * 1000 };
    },
  });
  return { client, counted };
}

function openTab(
  sessionId: string,
  tools: ClientTools = createClientTools(),
  { tokens }: { readonly tokens: Tokens } = clientOf().client,
) {
  const seen: unknown[] = [];
  const socket = openSessionSocket({
    sessionId,
    userDid: user.did(),
    socketUrl: async () => server.url,
    tokens,
    tools,
    handlers: {
      onConnected: (connected, refusal) => void seen.push(refusal?.message ?? connected),
      onInvalidated: () => void seen.push("invalidated"),
      onEvent: () => undefined,
      onQuestion: () => undefined,
      onSignIn: () => undefined,
    },
  });
  opened.push(socket);
  return { socket, seen, tools };
}

const connected = (socket: SessionSocket) => vi.waitFor(() => expect(socket.id()).toBeDefined(), WAIT);
const WAIT = { timeout: 120_000, interval: 20 };

/** The tool `pageTitle`, which records its calls. */
function pageTitle(result: (args: unknown) => unknown) {
  const calls: unknown[] = [];
  const tool: BrowserTool = {
    toolName: "pageTitle",
    description: "The title of this page.",
    schema: z.object({ of: z.string(), short: z.boolean().default(false) }),
    async fn(args) {
      calls.push(args);
      return result(args);
    },
  };
  return { calls, tool };
}

async function send(sessionId: string, tools: ClientTools, message: string, socketId?: string) {
  const metadata = socketId === undefined ? {} : { metadata: { socketId } };
  return alice.send(sessionId, { message, ...(await tools.declarations()), ...metadata });
}

async function textOf(frames: FrameReader): Promise<string> {
  const all = await frames.rest();
  return all
    .filter(({ event }) => event === "message")
    .map(({ data }) => data["content"])
    .join("");
}

test("with two tabs open, a handler runs exactly once, in the tab that has it and that sent the message [SD-86, SD-88]", async () => {
  const sessionId = await alice.openSession();
  const [first, second, bare] = [openTab(sessionId), openTab(sessionId), openTab(sessionId)];
  const [ofFirst, ofSecond] = [pageTitle(() => "of the first"), pageTitle(() => "of the second")];
  first.tools.setBrowserTools({}, [ofFirst.tool]);
  second.tools.setBrowserTools({}, [ofSecond.tool]);
  await Promise.all([first, second, bare].map(({ socket }) => connected(socket)));

  const named = await send(sessionId, second.tools, '/tool pageTitle {"of":"this"}', second.socket.id());
  expect(await textOf(named.frames)).toBe("Tool pageTitle returned: of the second");
  expect([ofFirst.calls, ofSecond.calls]).toEqual([[], [{ of: "this", short: false }]]);

  second.socket.close();
  // The tab that was used last does not have this tool.
  bare.socket.wake();
  const any = await send(sessionId, first.tools, '/tool pageTitle {"of":"that"}');
  expect(await textOf(any.frames)).toBe("Tool pageTitle returned: of the first");
  expect([ofFirst.calls, ofSecond.calls]).toMatchObject([[{ of: "that" }], [{ of: "this" }]]);
});

test("an action's arguments are parsed for its handler, and the model reads its failure [SD-81, SD-90]", async () => {
  const sessionId = await alice.openSession();
  const { socket, tools } = openTab(sessionId);
  const handler = ({ at }: { readonly at: string }) => {
    if (at === "nowhere!") throw new Error("There is no such place.");
    return { success: true, at: at.toUpperCase() };
  };
  const parameters = z.object({ at: z.string().transform((text) => `${text}!`) });
  tools.setActions({}, [{ name: "open_map", description: "Opens the map.", parameters, handler }]);
  await connected(socket);
  const { frames } = await send(sessionId, tools, '/tool open_map {"at":"here"}');
  expect(await textOf(frames)).toBe('Tool open_map returned: {"success":true,"at":"HERE!"}');
  const failed = await send(sessionId, tools, '/tool open_map {"at":"nowhere"}');
  expect(await textOf(failed.frames)).toContain("There is no such place.");
});

test("a tool that the page registers after its call arrived is run; a tool that is never registered is refused [SD-87]", async () => {
  const sessionId = await alice.openSession();
  const { socket, tools } = openTab(sessionId);
  const { tool, calls } = pageTitle(() => "late");
  const elsewhere = createClientTools();
  elsewhere.setBrowserTools({}, [tool]);
  await connected(socket);
  const { frames } = await send(sessionId, elsewhere, '/tool pageTitle {"of":"this"}');
  for (let frame = await frames.next(); frame?.event !== "tool_call"; frame = await frames.next());
  const owner = {};
  tools.setBrowserTools(owner, [tool]);
  expect(await textOf(frames)).toBe("Tool pageTitle returned: late");
  tools.remove(owner);
  const refused = await send(sessionId, elsewhere, '/tool pageTitle {"of":"this"}');
  expect(await textOf(refused.frames)).toContain("This page has no browser tool pageTitle.");
  expect(calls).toHaveLength(1);
});

test("a token that expired while the oracle was away is replaced once for requests and socket together; nothing is missed [SD-93, SD-94]", async () => {
  const sessionId = await alice.openSession();
  // Longer than a connect takes.
  const life = 10;
  const { client, counted } = clientOf([life]);
  const { tool, calls } = pageTitle(() => "back");
  const tools = createClientTools();
  tools.setBrowserTools({}, [tool]);
  const { socket, seen } = openTab(sessionId, tools, client);
  await connected(socket);
  const expiresAt = Date.now() + (life + 1) * 1000;
  await server.kill();
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(expiresAt), WAIT);
  await server.startAgain();
  socket.wake();
  await Promise.all([client.sessions.list(), client.sessions.list(), connected(socket)]);
  // Recovered: the oracle stores events that a session's sockets missed, even over its own restart.
  expect([counted.mints, seen]).toEqual([2, [true, false, true]]);
  const { frames } = await send(sessionId, tools, '/tool pageTitle {"of":"this"}', socket.id());
  expect(await textOf(frames)).toBe("Tool pageTitle returned: back");
  expect(calls).toHaveLength(1);
});

test("a call that runs while the oracle is killed is answered when it is back, and not repeated [SD-88, SD-89]", async () => {
  const sessionId = await alice.openSession();
  const { socket, seen, tools } = openTab(sessionId);
  const result = Promise.withResolvers<string>();
  const { tool, calls } = pageTitle(() => result.promise);
  tools.setBrowserTools({}, [tool]);
  await connected(socket);
  const { runId } = await send(sessionId, tools, '/tool pageTitle {"of":"this"}');
  await vi.waitFor(() => expect(calls).toHaveLength(1), WAIT);
  await server.kill();
  await vi.waitFor(() => expect(seen).toEqual([true, "invalidated", false]), WAIT);
  result.resolve("finished while away");
  await server.startAgain();
  socket.wake();
  expect(await textOf(await alice.follow(runId))).toBe("Tool pageTitle returned: finished while away");
  expect(calls).toHaveLength(1);
});

test("deleting a session ends its socket, which does not reconnect [SD-93]", async () => {
  const sessionId = await alice.openSession();
  const { socket, seen } = openTab(sessionId);
  await connected(socket);
  await alice.call("DELETE", `/sessions/${sessionId}`);
  await vi.waitFor(() => expect(seen).toEqual([true, false, "Session not found"]), WAIT);
  expect(socket.id()).toBeUndefined();
});
