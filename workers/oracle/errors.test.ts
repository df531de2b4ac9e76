/**
 * Every error response as a client in a browser sees it: one body, the caller's request id, and the cross-origin
 * headers of a success, without which the browser would hide status and body.
 */
import { expect, test } from "vitest";
import { edgeOverObjects, type WatchedObjects } from "../../test/support/oracle/oracle-objects-in-node.ts";
import { startLocalServer } from "../../test/support/server/local-server.ts";
import { jsonOf, openSession, type Call, type Edge } from "../../test/support/oracle/oracle-edge.ts";
import { mintInvocation, signer } from "../../test/support/auth/ucan.ts";
import { FAILED_ATTEMPTS_PER_MINUTE } from "../../platform/http/attempt-limit.ts";
import type { ErrorCode } from "../../protocol/errors.ts";
import { SMALL_BODY_BYTES } from "../../protocol/limits.ts";

const alice = 1;
const unknownId = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";
const ORIGIN = "https://app.test";
const around = { Origin: ORIGIN, "X-Request-Id": "req-42", "CF-Connecting-IP": "192.0.2.9" };

type Ask = (method: string, path: string, call?: Call) => Promise<Response>;

interface ErrorCase {
  readonly status: number;
  readonly error: string;
  readonly message: string;
  readonly code: ErrorCode;
  readonly retryable?: true;
  readonly retryAfter?: RegExp;
  readonly env?: object;
  readonly cause: (ask: Ask, edge: Edge, objects: WatchedObjects) => Promise<Response>;
}

const forged = { Authorization: "Bearer x", "X-Auth-Type": "ucan" };

async function broken(ask: Ask, objects: WatchedObjects, properties: object): Promise<Response> {
  objects.breakage = Object.assign(new Error("secret"), properties);
  return ask("GET", `/messages/${unknownId}`, { as: alice });
}

const errorCases: readonly ErrorCase[] = [
  {
    status: 400,
    error: "Bad Request",
    code: "invalid_request",
    message: "Request body is not valid JSON: line 1, column 2: expected a name in double quotes or }",
    cause: (ask) => ask("POST", "/messages/abort", { as: alice, body: "{" }),
  },
  {
    status: 401,
    error: "Unauthorized",
    message: "Invalid UCAN invocation",
    code: "invalid_invocation",
    retryable: true,
    cause: (ask) => ask("GET", "/sessions", { headers: forged }),
  },
  {
    status: 404,
    error: "Not Found",
    message: "Session not found",
    code: "not_found",
    cause: (ask) => ask("GET", `/messages/${unknownId}`, { as: alice }),
  },
  {
    status: 404,
    error: "Not Found",
    message: "Cannot PATCH /sessions",
    code: "not_found",
    cause: (ask) => ask("PATCH", "/sessions", { as: alice }),
  },
  {
    status: 413,
    error: "Payload Too Large",
    message: "Request body too large",
    code: "too_large",
    cause: (ask) => ask("POST", "/messages/abort", { as: alice, body: "x".repeat(SMALL_BODY_BYTES + 1) }),
  },
  {
    status: 429,
    error: "Too Many Requests",
    message: "Too many requests",
    code: "rate_limited",
    retryable: true,
    retryAfter: /^(60|[1-5]?\d)$/,
    env: { ORACLE_RATE_LIMIT_PER_MINUTE: "1" },
    cause: async (ask) => {
      await ask("GET", "/sessions", { as: alice });
      return ask("GET", "/sessions", { as: alice });
    },
  },
  {
    status: 429,
    error: "Too Many Requests",
    message: "Too many failed attempts to sign in; wait before you try again",
    code: "rate_limited",
    retryable: true,
    retryAfter: /^(60|[1-5]?\d)$/,
    cause: async (ask) => {
      for (let attempt = 0; attempt < FAILED_ATTEMPTS_PER_MINUTE; attempt += 1)
        await ask("GET", "/sessions", { headers: forged });
      return ask("GET", "/sessions", { headers: forged });
    },
  },
  {
    status: 500,
    error: "Internal Server Error",
    message: "Internal server error",
    code: "internal",
    cause: (ask, _edge, objects) => broken(ask, objects, {}),
  },
  {
    status: 502,
    error: "Bad Gateway",
    message: "The model is receiving too many requests. Please try again in a moment.",
    code: "model_rate_limited",
    retryable: true,
    retryAfter: /^1$/,
    cause: async (ask, edge) => {
      const sessionId = await openSession(edge, alice);
      return ask("POST", `/messages/${sessionId}`, { as: alice, body: { message: "/fail rate_limit" } });
    },
  },
  {
    status: 503,
    error: "Service Unavailable",
    message: "The service is busy; please try again",
    code: "unavailable",
    retryable: true,
    retryAfter: /^1$/,
    cause: (ask, _edge, objects) => broken(ask, objects, { overloaded: true }),
  },
];

async function responseTo({ env = {}, cause }: ErrorCase): Promise<Response> {
  const { edge, objects } = await edgeOverObjects({ CORS_ORIGIN: `https://other.test, ${ORIGIN}`, ...env });
  const ask: Ask = (method, path, { headers = {}, ...call } = {}) =>
    edge.call(method, path, { ...call, headers: { ...around, ...headers } });
  return cause(ask, edge, objects);
}

async function described(response: Response) {
  const { status, headers } = response;
  const body = await jsonOf(response);
  return { status, body, retryAfter: headers.get("Retry-After") ?? "none", headers: Object.fromEntries(headers) };
}

function expected({
  status,
  error,
  message,
  code,
  retryable = false,
  retryAfter = /^none$/,
}: Omit<ErrorCase, "cause" | "retryable"> & { readonly retryable?: boolean }) {
  return {
    status,
    body: { statusCode: status, message, error, requestId: "req-42", code, retryable },
    retryAfter: expect.stringMatching(retryAfter),
    headers: {
      "content-type": "application/json",
      "x-request-id": "req-42",
      "access-control-allow-origin": ORIGIN,
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": "X-Request-Id, x-run-id",
      vary: "Origin",
    },
  };
}

test.each(errorCases)("$status $message [OR-145, OR-146, OR-191, OR-192]", async (errorCase) => {
  expect(await described(await responseTo(errorCase))).toMatchObject(expected(errorCase));
});

test.each([
  ["rate_limit", "model_rate_limited", true],
  ["billing", "model_unavailable", false],
  ["auth", "model_unavailable", false],
  ["timeout", "model_timeout", true],
  ["server", "model_failed", true],
  ["network", "model_unreachable", true],
  ["unknown", "model_unknown", false],
] as const)(
  "a run that fails with %s says %s, in its frame and in a whole reply [OR-193]",
  async (kind, code, retryable) => {
    const { edge } = await edgeOverObjects({ LLM_MAX_RETRIES: "0" });
    const sessionId = await openSession(edge, alice);
    const send = (stream: boolean) =>
      edge.call("POST", `/messages/${sessionId}`, { as: alice, body: { message: `/fail ${kind}`, stream } });
    expect(await jsonOf(await send(false))).toMatchObject({ statusCode: 502, code, retryable });
    const frame = /event: error\nid: \d+\ndata: (.*)/.exec(await (await send(true)).text())?.[1] ?? "{}";
    expect(JSON.parse(frame)).toMatchObject({ code, retryable });
  },
);

test("a failing resolver is a 503 with Retry-After, not a 401 [OR-28]", async () => {
  const blocksync = await startLocalServer((_request, _body, response) => void response.writeHead(500).end());
  const errorCase: ErrorCase = {
    status: 503,
    error: "Service Unavailable",
    message: "Identity resolution unavailable",
    code: "unavailable",
    retryable: true,
    retryAfter: /^5$/,
    env: { BLOCKSYNC_GRAPHQL_URL: blocksync.origin },
    async cause(ask, edge) {
      const user = await signer(alice, "did:ixo:ixo1user");
      const token = await mintInvocation(user, edge.oracleDid, Math.floor(Date.now() / 1000) + 600);
      return ask("GET", "/sessions", { headers: { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan" } });
    },
  };
  try {
    expect(await described(await responseTo(errorCase))).toMatchObject(expected(errorCase));
  } finally {
    await blocksync.close();
  }
});

test("an unlisted origin is allowed nowhere: not by a success, an error or a preflight [ALL-9]", async () => {
  const { edge } = await edgeOverObjects({ CORS_ORIGIN: ORIGIN });
  const headers = { Origin: "https://evil.test" };
  for (const [method, path, status] of [
    ["GET", "/sessions", 200],
    ["GET", `/messages/${unknownId}`, 404],
    ["OPTIONS", "/sessions", 204],
  ] as const) {
    const response = await edge.call(method, path, { as: alice, headers });
    expect([path, response.status, response.headers.get("Access-Control-Allow-Origin")]).toEqual([path, status, null]);
    expect(response.headers.has("Access-Control-Allow-Credentials")).toBe(false);
    expect(response.headers.get("Vary")).toBe("Origin");
  }
});

test("a stream and a preflight of a listed origin allow credentials [ALL-9, ALL-11]", async () => {
  const { edge } = await edgeOverObjects({ CORS_ORIGIN: ORIGIN });
  const sessionId = await openSession(edge, alice);
  const body = { message: "hi", stream: true };
  const streamed = await edge.call("POST", `/messages/${sessionId}`, { as: alice, headers: around, body });
  const preflight = await edge.call("OPTIONS", `/messages/${sessionId}`, { headers: around });
  expect([streamed.status, preflight.status]).toEqual([200, 204]);
  for (const { headers } of [streamed, preflight]) {
    expect(headers.get("Access-Control-Allow-Origin")).toBe(ORIGIN);
    expect(headers.get("Access-Control-Allow-Credentials")).toBe("true");
    expect(headers.get("Access-Control-Expose-Headers")).toBe("X-Request-Id, x-run-id");
  }
});

test("every response has a body and none is a 204: clients always parse JSON [OR-2]", async () => {
  const { edge } = await edgeOverObjects();
  const sessionId = await openSession(edge, alice);
  const calls: readonly [string, string, unknown?][] = [
    ["GET", "/"],
    ["GET", "/health"],
    ["GET", "/models"],
    ["GET", "/.well-known/did.json"],
    ["POST", "/sessions"],
    ["GET", "/sessions"],
    ["GET", `/sessions/${sessionId}/messages`],
    ["GET", `/sessions/${sessionId}/run`],
    ["POST", `/messages/${sessionId}`, { message: "hi" }],
    ["GET", `/messages/${sessionId}`],
    ["POST", "/messages/abort", { sessionId }],
    ["GET", "/delegation"],
    ["DELETE", "/delegation"],
    ["GET", "/user-preferences"],
    ["DELETE", `/sessions/${sessionId}`],
  ];
  for (const [method, path, body] of calls) {
    const headers = { "Content-Type": "application/json" };
    const response = await edge.call(method, path, { as: alice, headers, body });
    expect([method, path, [200, 201].includes(response.status)]).toEqual([method, path, true]);
    expect(await jsonOf(response)).toBeTypeOf("object");
  }
});

test.each([
  ["POST", "/calls/x/sync"],
  ["PATCH", "/calls/x/update"],
  ["GET", "/calls/session/x"],
  ["GET", "/calls/x/key"],
  ["POST", "/slack/events"],
  ["POST", "/cron/claims"],
  ["GET", "/claims"],
])("%s %s is reserved [OR-5]", async (method, path) => {
  const { edge } = await edgeOverObjects();
  const response = await edge.call(method, path, { as: alice });
  expect([response.status, (await jsonOf(response))["message"]]).toEqual([404, `Cannot ${method} ${path}`]);
});
