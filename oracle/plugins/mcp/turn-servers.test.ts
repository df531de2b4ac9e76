/** The servers of a turn: the cost of a list that keeps changing, and lost connections. */
import { expect, test } from "vitest";
import type { JsonValue } from "../../../platform/json.ts";
import type { RuntimeContext } from "../../framework/context.ts";
import type { McpServer, McpSettings } from "./settings.ts";
import { createMarker, MARKS_PER_CONNECTION } from "./tool-lists.ts";
import { createTurnServers } from "./turn-servers.ts";

const server: McpServer = {
  name: "notes",
  url: "https://notes.example/mcp",
  headers: {},
  auth: "oauth",
  pin: false,
  approval: "writes",
  trusted: false,
  confirmSignIn: false,
  readOnlyTools: [],
};
const TIMES = 500;

/** A server with an older protocol, whose calls answer with many notifications before their result. */
async function answer(_url: string, { body, method }: RequestInit): Promise<Response> {
  if (method !== "POST") return new Response(null, { status: 405 });
  const { id, method: rpc } = JSON.parse(String(body)) as { readonly id?: number; readonly method: string };
  const result = (value: object): Response => Response.json({ jsonrpc: "2.0", id, result: value });
  if (rpc === "initialize")
    return result({
      protocolVersion: "2025-06-18",
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "notes", version: "1.0.0" },
    });
  if (rpc === "tools/list") return result({ tools: [{ name: "read", inputSchema: { type: "object" } }] });
  if (rpc !== "tools/call") return new Response(null, { status: id === undefined ? 202 : 400 });
  const event = (message: object): string =>
    `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
  const notices = event({ method: "notifications/tools/list_changed" }).repeat(TIMES);
  const done = event({ id, result: { content: [{ type: "text", text: "done" }] } });
  return new Response(notices + done, { headers: { "Content-Type": "text/event-stream" } });
}

/** The servers of a turn, their stored values, and their background work. */
function turnServers() {
  const stored = new Map<string, JsonValue>();
  const writes: string[] = [];
  const background: Promise<unknown>[] = [];
  const ctx = {
    config: { servers: [server] },
    user: { isPersonal: true },
    session: { capabilities: { openLinks: true } },
    abortSignal: new AbortController().signal,
    logger: { warn: () => undefined },
    background: (work: Promise<unknown>) => void background.push(work),
    kv: {
      get: async (key: string) => stored.get(key),
      async set(key: string, value: JsonValue) {
        writes.push(key);
        stored.set(key, value);
      },
    },
  } as unknown as RuntimeContext<McpSettings>;
  const servers = createTurnServers(
    ctx,
    { lists: new Map(), downUntil: new Map() },
    {
      fetch: answer,
      clock: () => 1_000,
      authorization: {
        headersFor: async () => ({ kind: "headers", headers: { Authorization: "Bearer token" } }),
        refused: async () => ({ kind: "unavailable", reason: "refused" }),
      },
    },
  );
  return { servers, ctx, stored, writes, background };
}

test("a changed list is marked a few times, however often its server reports changes [OR-421]", async () => {
  const { servers, ctx, stored, writes, background } = turnServers();
  const [reached] = await servers.reachAll();
  const [tool] = reached?.tools ?? [];
  writes.length = 0;
  const connection = await servers.connectionTo(server, async () => ({ action: "decline" }));
  if ("kind" in connection || tool === undefined) throw new Error("the server was not reached");
  const result = await connection.call({}, { definition: tool.definition, signal: ctx.abortSignal });
  expect(result.content).toEqual([{ type: "text", text: "done" }]);
  await Promise.all(background);
  expect(new Set(writes)).toEqual(new Set(["list/notes"]));
  expect(writes.length).toBeLessThanOrEqual(MARKS_PER_CONNECTION);
  expect(stored.get("list/notes")).toMatchObject({ expiresAt: 0 });
});

test("changes reported while a list is being marked are kept, up to ten marks [OR-421]", async () => {
  expect(MARKS_PER_CONNECTION).toBe(10);
  const marks: PromiseWithResolvers<void>[] = [];
  const place = {
    markOld: () => {
      const mark = Promise.withResolvers<void>();
      marks.push(mark);
      return mark.promise;
    },
  };
  const background: Promise<unknown>[] = [];
  const say = createMarker(place, (work) => void background.push(work));
  say();
  say();
  say();
  expect(marks).toHaveLength(1);
  marks[0]?.resolve();
  await expect.poll(() => marks.length).toBe(2);
  marks[1]?.resolve();
  await Promise.all(background);
  for (let more = 0; more < 20; more += 1) {
    say();
    marks.at(-1)?.resolve();
    await Promise.all(background);
  }
  expect(marks).toHaveLength(10);
});

test("calls that lose one connection share the next one [OR-286]", async () => {
  const { servers } = turnServers();
  const connected = async () => {
    const connection = await servers.connectionTo(server, async () => ({ action: "decline" }));
    if ("kind" in connection) throw new Error("the server was not reached");
    return connection;
  };
  const lost = await connected();
  servers.drop(server, lost);
  const next = await connected();
  expect(next).not.toBe(lost);
  servers.drop(server, lost);
  expect(await connected()).toBe(next);
  await servers.closeAll();
});
