import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDispatcher, rawPathOf, type HostTable } from "./dispatch.ts";
import { failure, success } from "../platform/result.ts";
import { ofUnknownPath } from "../platform/http/unknown-path.ts";
import type { ConfigResult } from "../platform/config.ts";
import type { Exchange } from "../platform/surface.ts";

const PROPERTY_RUNS = Number(process.env["PROPERTY_RUNS"] ?? 100);
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const env = {} as Env;
const context = {} as ExecutionContext;

interface DispatcherOptions {
  readonly hosts?: HostTable["SURFACE_HOSTS"];
  readonly answer?: (exchange: Exchange) => Response;
  readonly pageOfUnknownPath?: () => Response;
}

function dispatcher(options: DispatcherOptions = {}) {
  const fetch = (_: Request, exchange: Exchange): Response =>
    options.answer?.(exchange) ?? Response.json({ served: exchange.served, path: exchange.path });
  const hosts = (): ConfigResult<HostTable> => success({ SURFACE_HOSTS: options.hosts ?? null });
  const { pageOfUnknownPath = () => new Response("a page") } = options;
  return createDispatcher({
    apps: { oracle: { fetch }, shared: { fetch } },
    hosts,
    log: () => quiet,
    pageOfUnknownPath,
  });
}

const get = (path: string, headers: HeadersInit = {}): Request =>
  new Request(`https://edge.example${path}`, { headers });

describe("request id [ALL-6, ALL-7]", () => {
  test.each(["a", "!".repeat(200), "req-42"])("a valid one is echoed: %s", async (id) => {
    const response = await dispatcher()(get("/sessions", { "X-Request-Id": id }), env, context);
    expect(response.headers.get("X-Request-Id")).toBe(id);
  });

  test.each(["", "a b", "!".repeat(201), "é"])("an invalid one is replaced by a UUID: %s", async (id) => {
    const response = await dispatcher()(get("/sessions", { "X-Request-Id": id }), env, context);
    expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(["/", "/sessions", "/v1/domains", "/graphql", "/api/ussd", "/ixo/entity/1", "/nowhere"])(
    "it is on every response: %s",
    async (path) => {
      const response = await dispatcher()(get(path, { "X-Request-Id": "req-1" }), env, context);
      expect(response.headers.get("X-Request-Id")).toBe("req-1");
    },
  );

  test("a response with immutable headers gets it too", async () => {
    const answer = (): Response => Response.redirect("https://edge.example/docs");
    const response = await dispatcher({ answer })(get("/sessions", { "X-Request-Id": "req-1" }), env, context);
    expect([response.status, response.headers.get("Location")]).toEqual([302, "https://edge.example/docs"]);
    expect(response.headers.get("X-Request-Id")).toBe("req-1");
  });

  test("a response that already has one keeps it", async () => {
    const answer = (): Response => new Response("", { headers: { "X-Request-Id": "the-turn's" } });
    const response = await dispatcher({ answer })(get("/runs/x", { "X-Request-Id": "mine" }), env, context);
    expect(response.headers.get("X-Request-Id")).toBe("the-turn's");
  });
});

test("no browser sniffs a response as another type, from any surface [CN-109]", async () => {
  const answer = ({ path }: Exchange): Response => {
    if (path === "/throws") throw new Error("a bug");
    return path === "/elsewhere" ? Response.redirect("https://edge.example/docs") : Response.json({});
  };
  const asked = dispatcher({ answer, hosts: { "edge.example": ["oracle"] } });
  for (const url of ["/", "/health", "/sessions", "/elsewhere", "/throws", "/v1/domains", "https://other.example/"]) {
    const { headers } = await asked(new Request(new URL(url, "https://edge.example")), env, context);
    expect([url, headers.get("X-Content-Type-Options")]).toEqual([url, "nosniff"]);
  }
});

describe("a browser that opens a path that no surface serves gets a page", () => {
  const html = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const answer = ({ path }: Exchange): Response => {
    if (path === "/docs/nothing") return ofUnknownPath(Response.json({ message: "unknown" }, { status: 404 }));
    return Response.json({ message: "no such session" }, { status: 404 });
  };
  const options = { answer, hosts: { "edge.example": ["oracle"] } } as const;
  const page = () => new Response("the page", { status: 404 });
  const asked = dispatcher({ ...options, pageOfUnknownPath: page });
  const textOf = async (request: Request) => {
    const response = await asked(request, env, context);
    return [response.status, await response.text()] as const;
  };

  test.each(["https://edge.example/nowhere", "https://edge.example/docs/nothing", "https://other.example/"])(
    "%s, and programs get the surface's response [CN-299]",
    async (url) => {
      expect(await textOf(new Request(url, { headers: html }))).toEqual([404, "the page"]);
      expect((await textOf(new Request(url)))[1]).toContain("message");
      expect((await textOf(new Request(url, { method: "POST", headers: html })))[1]).toContain("message");
    },
  );

  test("a missing record stays JSON [CN-299]", async () => {
    expect((await textOf(get("/sessions/x", html)))[1]).toContain("no such session");
    expect((await textOf(get("/v1/domains/x", html)))[1]).toContain("not_found");
  });
});

describe("a surface that the host does not serve answers 404 in its own format [ALL-2]", () => {
  test.each([
    ["/v1/domains", "application/problem+json", { status: 404, code: "not_found" }],
    ["/api/ussd", "application/json", { statusCode: 404, message: "Route GET:/api/ussd not found" }],
    ["/ixo/entity/1", "application/json", { code: 5, message: "Not Found", details: [] }],
  ])("%s", async (path, type, body) => {
    const response = await dispatcher()(get(path), env, context);
    expect(response.status).toBe(404);
    expect(response.headers.get("Content-Type")).toBe(type);
    expect(await response.json()).toMatchObject(body);
  });
});

describe("SURFACE_HOSTS [ALL-3]", () => {
  const hosts = { "edge.example": ["registry" as const], "chat.example:8080": ["oracle" as const] };

  test("an unlisted host answers 404 to every request", async () => {
    for (const path of ["/", "/health", "/sessions"]) {
      const response = await dispatcher({ hosts })(new Request(`https://other.example${path}`), env, context);
      expect(response.status).toBe(404);
    }
  });

  test.each(["constructor", "tostring", "__proto__"])(
    "%s is a host like any other, and is not listed",
    async (host) => {
      expect((await dispatcher({ hosts })(new Request(`https://${host}/health`), env, context)).status).toBe(404);
    },
  );

  test("a listed host serves only its own surfaces and the shared paths", async () => {
    expect((await dispatcher({ hosts })(get("/sessions"), env, context)).status).toBe(404);
    const health = await dispatcher({ hosts })(get("/health"), env, context);
    expect(await health.json()).toEqual({ served: ["registry"], path: "/health" });
    const chat = await dispatcher({ hosts })(new Request("http://chat.example:8080/sessions"), env, context);
    expect(chat.status).toBe(200);
  });

  test("an unreadable table serves only /health, which reports it [ALL-4]", async () => {
    const fetch = (): Response => new Response("ok");
    const broken = createDispatcher({
      apps: { oracle: { fetch }, shared: { fetch } },
      hosts: () => failure([{ variable: "SURFACE_HOSTS", message: "must be JSON" }]),
      log: () => quiet,
    });
    expect((await broken(get("/health"), env, context)).status).toBe(200);
    expect((await broken(get("/sessions"), env, context)).status).toBe(500);
  });
});

describe("wrong settings [ALL-5]", () => {
  const problem = { variable: "ORACLE_DID", message: "must be a DID", example: "did:ixo:ixo1abc" };
  const fetch = (): Response => new Response("ok");

  function logged(hosts: ConfigResult<HostTable> = success({ SURFACE_HOSTS: null })) {
    const lines: object[] = [];
    const dispatch = createDispatcher({
      apps: { oracle: { fetch, configProblems: () => [problem] }, registry: { fetch }, shared: { fetch } },
      hosts: () => hosts,
      log: (context) => ({ ...quiet, error: (event, members) => void lines.push({ ...context, event, ...members }) }),
    });
    const isolate = {} as Env;
    return { lines, ask: (path: string) => dispatch(get(path, { "X-Request-Id": "req-1" }), isolate, context) };
  }
  const line = {
    surface: "oracle",
    requestId: "req-1",
    event: "configuration-wrong",
    problems: [{ variable: "ORACLE_DID", problem: "must be a DID", example: "did:ixo:ixo1abc" }],
  };

  test("are logged with the reason, once per isolate, at the surface's first request", async () => {
    const { lines, ask } = logged();
    await ask("/v1/domains");
    await ask("/");
    expect(lines).toEqual([]);
    await ask("/sessions");
    await ask("/sessions");
    await ask("/health");
    expect(lines).toEqual([line]);
  });

  test("of all surfaces are logged when health is read", async () => {
    const { lines, ask } = logged();
    await ask("/health");
    expect(lines).toEqual([line]);
  });

  test("of the hosts are logged at any request", async () => {
    const { lines, ask } = logged(failure([{ variable: "SURFACE_HOSTS", message: "must be JSON" }]));
    await ask("/sessions");
    expect(lines).toEqual([
      { ...line, surface: "shared", problems: [{ variable: "SURFACE_HOSTS", problem: "must be JSON" }] },
    ]);
  });
});

test("an exception of a surface is a 500 in its own format, without the reason [ALL-2]", async () => {
  const answer = (): Response => {
    throw new Error("the secret reason");
  };
  const response = await dispatcher({ answer })(get("/sessions"), env, context);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("secret");
});

test("the raw path is unchanged: escapes stay, query and fragment are removed [ALL-1]", () => {
  expect(rawPathOf("https://h/a%2Fb/%zz?x=/y#z")).toBe("/a%2Fb/%zz");
  expect(rawPathOf("https://h")).toBe("/");
  expect(rawPathOf("https://h//a")).toBe("//a");
  expect(rawPathOf("https://h?x")).toBe("/");
  const segment = fc.stringMatching(/^[a-z0-9%._~-]{0,8}$/);
  fc.assert(
    fc.property(fc.array(segment), fc.webQueryParameters(), (segments, query) => {
      const path = `/${segments.join("/")}`;
      expect(rawPathOf(`http://host:3000${path}?${query}`)).toBe(path);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
