/** Requests to a configured server: their targets, their headers, and the limit of their responses. */
import { describe, expect, test } from "vitest";
import type { Authorization, ServerRefusal } from "./authorization.ts";
import { MAX_RESPONSE_BYTES, RESULT_TOO_LARGE } from "./response-limit.ts";
import { createServerFetch, type Fetch } from "./server-fetch.ts";

const server = {
  name: "notes",
  url: "https://notes.example/mcp",
  headers: { "X-Api-Key": "k" },
  auth: "oauth",
  pin: false,
  approval: "writes",
  trusted: false,
  confirmSignIn: false,
  readOnlyTools: [],
} as const;

function setUp(answer: (request: Request) => Response, onRefused?: (refusal: ServerRefusal) => Promise<Authorization>) {
  const sent: Request[] = [];
  const fetch: Fetch = async (url, init) => {
    const request = new Request(url, init);
    sent.push(request);
    return answer(request);
  };
  const headers = { Authorization: "Bearer one" };
  return {
    sent,
    requests: createServerFetch({ server, fetch, headers, signal: new AbortController().signal, onRefused }),
  };
}

test("every request has the server's headers and the user's, and no redirect is followed [OR-281, OR-291]", async () => {
  const { sent, requests } = setUp(
    () => new Response(null, { status: 302, headers: { Location: "https://evil.example" } }),
  );
  const response = await requests.fetch(server.url, { method: "POST", headers: { "Mcp-Session-Id": "s" }, body: "{}" });
  expect(response.status).toBe(302);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.redirect).toBe("manual");
  expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject({
    "x-api-key": "k",
    authorization: "Bearer one",
    "mcp-session-id": "s",
  });
});

test("a request to another origin is never sent [OR-291]", async () => {
  const { sent, requests } = setUp(() => new Response());
  for (const url of [
    "https://evil.example/mcp",
    "http://notes.example/mcp",
    "https://notes.example:8443/mcp",
    "https://notes.example.evil.example/",
  ])
    await expect(requests.fetch(url)).rejects.toThrow("another origin");
  expect(sent).toEqual([]);
});

test("an oversized response is cut [OR-291]", async () => {
  const bytes = (count: number) => new Response(new Uint8Array(count));
  const most = await setUp(() => bytes(MAX_RESPONSE_BYTES)).requests.fetch(server.url);
  expect((await most.arrayBuffer()).byteLength).toBe(MAX_RESPONSE_BYTES);
  const more = await setUp(() => bytes(MAX_RESPONSE_BYTES + 1)).requests.fetch(server.url);
  await expect(more.arrayBuffer()).rejects.toThrow("too large");
});

describe("an oversized result", () => {
  /** Splits the ends of events into two pieces. */
  const SPLIT_BYTES = 300;
  const asked = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call" });
  const error = { jsonrpc: "2.0", id: 7, error: { code: RESULT_TOO_LARGE, message: "the result is too large" } };
  const result = (size: number, before = '{"jsonrpc":"2.0","id":7,"result":') =>
    `${before}{"text":"${"é".repeat((size - before.length - '{"text":""}}'.length) / 2)}"}}`;

  /** `pieces`: how many bytes of the body arrive together, after the first ones, which arrive in threes. */
  async function answered(type: string, body: string, pieces: number, request = asked): Promise<string> {
    const bytes = new TextEncoder().encode(body);
    let at = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const size = at < SPLIT_BYTES ? Math.min(pieces, 3) : pieces;
        controller.enqueue(bytes.subarray(at, at + size));
        at += size;
        if (at >= bytes.length) controller.close();
      },
    });
    const { requests } = setUp(() => new Response(stream, { headers: { "Content-Type": type } }));
    return (await requests.fetch(server.url, { method: "POST", body: request })).text();
  }
  const json = (body: string, pieces: number, request?: string) => answered("application/json", body, pieces, request);
  const events = (body: string, pieces: number) => answered("text/event-stream; charset=utf-8", body, pieces);
  const progress = 'data: {"jsonrpc":"2.0","method":"notifications/progress"}';

  test.each([1_000_003, 65_536])("becomes a specific error as JSON, in pieces of %i bytes [OR-507]", async (pieces) => {
    const most = result(MAX_RESPONSE_BYTES - 1);
    expect(await json(most, pieces)).toBe(most);
    for (const before of [undefined, '{"result":', ' { "id" : "a" , "jsonrpc":"2.0",\n"result" :'])
      expect(JSON.parse(await json(result(MAX_RESPONSE_BYTES + 301, before), pieces))).toEqual(error);
  });

  test.each([1_000_003, 65_536])("becomes an error event, in pieces of %i bytes [OR-507]", async (pieces) => {
    const large = result(MAX_RESPONSE_BYTES + 301);
    for (const end of ["\n", "\r\n", "\r"]) {
      const before = `id: 1${end}data: ${end}${end}${progress}${end}${end}`;
      const text = await events(`${before}event: message${end}data: ${large}${end}${end}`, pieces);
      expect(text.slice(0, before.length)).toBe(before);
      expect(text.endsWith(`\n\ndata: ${JSON.stringify(error)}\n\n`)).toBe(true);
    }
  });

  test.each([
    ["an error", () => json(`{"jsonrpc":"2.0","id":7,"error":"${" ".repeat(MAX_RESPONSE_BYTES)}"}`, 65_536)],
    ["something else", () => json(`["result",${" ".repeat(MAX_RESPONSE_BYTES)}]`, 65_536)],
    ["events before it", () => events(`${progress}\n\n`.repeat(50_000), 65_536)],
    ["the answer to nothing that was asked", () => json(result(MAX_RESPONSE_BYTES + 301), 65_536, "{}")],
  ])("becomes no error if %s is too large", async (_, answer) => {
    await expect(answer()).rejects.toThrow("the response is too large");
  });
});

test.each([401, 403] as const)(
  "after a %s, sign-in is asked once, and the request is retried with its headers [OR-292]",
  async (status) => {
    const asked: ServerRefusal[] = [];
    const { sent, requests } = setUp(
      (request) =>
        request.headers.get("authorization") === "Bearer two"
          ? new Response("done")
          : new Response("no", { status, headers: { "WWW-Authenticate": 'Bearer scope="a"' } }),
      async (refusal) => {
        asked.push(refusal);
        return { kind: "headers", headers: { Authorization: "Bearer two" } };
      },
    );
    const response = await requests.fetch(server.url, { method: "POST", body: "{}" });
    expect(await response.text()).toBe("done");
    expect(asked).toEqual([{ status, wwwAuthenticate: 'Bearer scope="a"', headers: { Authorization: "Bearer one" } }]);
    await requests.fetch(server.url);
    expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer one", "Bearer two", "Bearer two"]);
  },
);

test("sign-in's answer to a refusal is cached, and it is not asked again [OR-292]", async () => {
  let asked = 0;
  const signIn = { kind: "sign-in", url: "https://oracle.example/mcp/oauth/start" } as const;
  const { requests } = setUp(
    () => new Response("no", { status: 401 }),
    async () => {
      asked += 1;
      return signIn;
    },
  );
  expect(requests.refusal).toBeUndefined();
  for (let index = 0; index < 3; index += 1) expect((await requests.fetch(server.url)).status).toBe(401);
  expect(requests.refusal).toEqual(signIn);
  expect(asked).toBe(1);
});
