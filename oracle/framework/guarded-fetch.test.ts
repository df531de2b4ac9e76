import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { guardedFetch, readLimited, REDIRECTS, type GuardedRequest } from "./guarded-fetch.ts";

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}
interface Seen {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A server with one origin that answers by path and records its requests. */
async function serve(answers: Readonly<Record<string, Answer>>) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      const { method, url: path, headers } = request;
      seen.push({ method, path, headers, body });
      const { status = 200, headers: given = {}, body: text = "" } = answers[path ?? ""] ?? { status: 404 };
      response.writeHead(status, given).end(text);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}`, seen };
}

const secrets = { Authorization: "Bearer t", Cookie: "c=1", "Proxy-Authorization": "Basic p", "X-Api-Key": "k" };

test("a redirect to another origin permanently removes every header that may contain a secret [OR-263]", async () => {
  const answers: Record<string, Answer> = {};
  const first = await serve(answers);
  const second = await serve({ "/b": { status: 302, headers: { Location: `${first.url}/c` } } });
  answers["/a"] = { status: 307, headers: { Location: `${second.url}/b` } };
  answers["/c"] = { body: "done" };

  const fetched = await guardedFetch(`${first.url}/a`, {
    headers: { ...secrets, Accept: "text/plain" },
    allowedHosts: [first.host, second.host],
  });
  if (!fetched.ok) throw new Error(fetched.error.message);
  expect(await fetched.value.response.text()).toBe("done");
  expect(fetched.value.url.href).toBe(`${first.url}/c`);
  const [start, end] = first.seen;
  const [between] = second.seen;
  expect(start?.headers).toMatchObject({ authorization: "Bearer t", cookie: "c=1", "x-api-key": "k" });
  for (const later of [between, end]) {
    expect(later?.headers).toMatchObject({ accept: "text/plain" });
    for (const name of Object.keys(secrets)) expect(later?.headers).not.toHaveProperty(name.toLowerCase());
  }
});

test("a redirect within its origin keeps the headers [OR-263]", async () => {
  const server = await serve({ "/a": { status: 302, headers: { Location: "/b?c=d" } }, "/b?c=d": { body: "done" } });
  await guardedFetch(`${server.url}/a`, { headers: secrets, allowedHosts: [server.host] });
  expect(server.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ["/a", "Bearer t"],
    ["/b?c=d", "Bearer t"],
  ]);
});

test.each([
  [301, "GET", "", undefined],
  [302, "GET", "", undefined],
  [303, "GET", "", undefined],
  [307, "POST", "{}", "application/json"],
  [308, "POST", "{}", "application/json"],
])("after a %i a POST continues as %s with the body %j [OR-263]", async (status, method, body, type) => {
  const server = await serve({ "/a": { status, headers: { Location: "/b" } }, "/b": {} });
  const headers = { "Content-Type": "application/json" };
  await guardedFetch(`${server.url}/a`, { method: "post", body: "{}", headers, allowedHosts: [server.host] });
  expect(server.seen[1]).toMatchObject({ method, body });
  expect(server.seen[1]?.headers["content-type"]).toBe(type);
});

test("five redirects are followed, the sixth is not [OR-263]", async () => {
  const fetched: number[] = [];
  const chain =
    (length: number): GuardedRequest["fetch"] =>
    (url) => {
      const at = Number(url.pathname.slice(1));
      fetched.push(at);
      const more = at < length;
      return Promise.resolve(new Response("end", more ? { status: 302, headers: { Location: `/${at + 1}` } } : {}));
    };
  expect(REDIRECTS).toBe(5);
  expect(await guardedFetch("https://a.example.org/0", { fetch: chain(5) })).toMatchObject({ ok: true });
  fetched.length = 0;
  const refused = await guardedFetch("https://a.example.org/0", { fetch: chain(6) });
  expect(refused).toMatchObject({ ok: false, error: { reason: "too_many_redirects" } });
  expect(fetched).toEqual([0, 1, 2, 3, 4, 5]);
});

test("redirects are not followed when disabled, and one without an address is a response [OR-263]", async () => {
  const answer = (headers: Record<string, string>) => () =>
    Promise.resolve(new Response(null, { status: 302, headers }));
  const refused = await guardedFetch("https://a.example.org/", { redirects: 0, fetch: answer({ Location: "/b" }) });
  expect(refused).toMatchObject({ ok: false, error: { reason: "too_many_redirects" } });
  const answered = await guardedFetch("https://a.example.org/", { redirects: 0, fetch: answer({}) });
  expect(answered).toMatchObject({ ok: true, value: { response: { status: 302 } } });
});

test("https does not redirect to http [OR-263]", async () => {
  const fetch = () =>
    Promise.resolve(new Response(null, { status: 302, headers: { Location: "http://files.example.org/" } }));
  const refused = await guardedFetch("https://files.example.org/", { fetch });
  expect(refused).toEqual({
    ok: false,
    error: { reason: "refused_address", message: "The address is not an https address" },
  });
});

test("the error of an aborted or unanswered request omits its path [OR-263]", async () => {
  const given = await guardedFetch("https://a.example.org/secret", {
    signal: AbortSignal.abort(),
    fetch: () => Promise.reject(new Error("never called")),
  });
  expect(given).toEqual({
    ok: false,
    error: { reason: "aborted", message: "The request to a.example.org was cancelled" },
  });
  const lost = await guardedFetch("https://a.example.org/secret?token=t", {
    fetch: () => Promise.reject(new Error("connect failed: /secret?token=t")),
  });
  expect(lost).toEqual({ ok: false, error: { reason: "unreachable", message: "a.example.org could not be reached" } });
});

test("a body is read up to its limit, whatever length it declares [OR-264]", async () => {
  const text = "x".repeat(100);
  const streamed = (declared?: string) =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (let part = 0; part < 10; part += 1) controller.enqueue(new TextEncoder().encode("x".repeat(10)));
          controller.close();
        },
      }),
      declared === undefined ? {} : { headers: { "Content-Length": declared } },
    );
  const read = await readLimited(streamed(), 100);
  expect(read.ok && new TextDecoder().decode(read.value)).toBe(text);
  expect(await readLimited(streamed(), 99)).toEqual({ ok: false, error: "too_large" });
  expect(await readLimited(streamed("1"), 99)).toEqual({ ok: false, error: "too_large" });
  expect(await readLimited(streamed("101"), 100)).toEqual({ ok: false, error: "too_large" });
  const broken = new ReadableStream({ start: (controller) => controller.error(new Error("lost")) });
  expect(await readLimited(new Response(broken), 100)).toEqual({ ok: false, error: "broken" });
});
