/** Engine.IO in Node: error responses, CORS, the polling transport and its limits. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createEngineObject, pollingSession } from "../../test/support/socketio/object-in-node.ts";

/** Prevents heartbeats during a test. */
const withoutPings = { pingIntervalMs: 1_000_000, pingTimeoutMs: 1_000_000 };

describe("error responses [OR-106]", () => {
  test.each([
    ["GET", "transport=abc", 0, "Transport unknown"],
    ["GET", "transport=polling&sid=unknown", 1, "Session ID unknown"],
    ["POST", "transport=polling", 2, "Bad handshake method"],
    ["PUT", "transport=polling", 2, "Bad handshake method"],
    ["GET", "transport=websocket", 3, "Bad request"],
  ])("%s %s: code %i", async (method, query, code, message) => {
    const object = createEngineObject();
    const response = await object.request(query, { method });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ code, message });
    expect(object.rows()).toEqual({});
  });

  test("another protocol version: code 5", async () => {
    const { server } = createEngineObject();
    for (const version of ["", "EIO=3&", "EIO=abc&"]) {
      const response = await server.handleRequest(new Request(`https://object.test/?${version}transport=polling`));
      expect([response.status, await response.json()]).toEqual([
        400,
        { code: 5, message: "Unsupported protocol version" },
      ]);
    }
  });

  test("errorMembers are added to the body", async () => {
    const object = createEngineObject({ errorMembers: (status, message) => ({ statusCode: status, error: message }) });
    const response = await object.request("transport=abc");
    expect(await response.json()).toEqual({
      code: 0,
      message: "Transport unknown",
      statusCode: 400,
      error: "Transport unknown",
    });
    const { post } = await pollingSession(object);
    expect(await (await post("4".repeat(1_000_001))).json()).toEqual({
      message: "Request body too large",
      statusCode: 413,
      error: "Request body too large",
    });
  });

  test("are not cached", async () => {
    const object = createEngineObject({ maxPayload: 10 });
    const { post } = await pollingSession(object);
    const refused = [await object.request("transport=abc"), await post("4".repeat(11))];
    expect(refused.map(({ headers }) => headers.get("cache-control"))).toEqual(["no-store", "no-store"]);
  });

  test("one session over maxSessions gets a 503, until another one ends", async () => {
    const object = createEngineObject({ maxSessions: 2 });
    const first = await object.connect();
    await object.connect();
    expect((await object.request("transport=polling")).status).toBe(503);
    first.send("1");
    expect((await object.request("transport=polling")).status).toBe(200);
  });

  test("a transport that is not offered is unknown, and polling alone offers no upgrade", async () => {
    expect((await createEngineObject({ transports: ["websocket"] }).request("transport=polling")).status).toBe(400);
    const object = createEngineObject({ transports: ["polling"] });
    expect(await (await object.request("transport=polling")).text()).toContain('"upgrades":[]');
  });
});

describe("CORS", () => {
  test("any origin, preflight included", async () => {
    const object = createEngineObject();
    const preflight = await object.request("transport=polling", {
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-headers": "x-request-id" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET, POST");
    expect(preflight.headers.get("access-control-allow-headers")).toBe("x-request-id");
    expect((await object.request("transport=polling")).headers.get("access-control-allow-origin")).toBe("*");
  });

  test("a function of origins", async () => {
    const object = createEngineObject({ allowOrigin: (origin) => origin === "https://app.example" });
    const allowed = await object.request("transport=polling", { headers: { origin: "https://app.example" } });
    expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example");
    const foreign = await object.request("transport=polling", { headers: { origin: "https://other.example" } });
    expect(foreign.headers.get("access-control-allow-origin")).toBe(null);
  });
});

describe("polling", () => {
  test.each(["4hello", "4a\u001E4b\u001E4c", "4hello\u001EbAQIDBA=="])(
    "%j is echoed, even across an eviction",
    async (body) => {
      const object = createEngineObject();
      const { poll, post } = await pollingSession(object);
      expect(await (await post(body)).text()).toBe("ok");
      object.evict();
      const polled = await poll();
      expect(polled.headers.get("content-type")).toBe("text/plain; charset=UTF-8");
      expect(await polled.text()).toBe(body);
    },
  );

  test("a poll waits for the first packet", async () => {
    const object = createEngineObject();
    const { poll, post } = await pollingSession(object);
    const waiting = poll();
    await post("4late");
    expect(await (await waiting).text()).toBe("4late");
    expect(object.rows()["poll_buffer"]).toBe(0);
  });

  test("a second poll, a second post, a binary body and a bad packet close the session", async () => {
    const object = createEngineObject();
    const twice = await pollingSession(object);
    const first = twice.poll();
    expect((await twice.poll()).status).toBe(400);
    expect(await (await first).text()).toBe("1");

    const posting = await pollingSession(object);
    const [one, other] = await Promise.all([posting.post("4a"), posting.post("4b")]);
    expect([one.status, other.status]).toEqual([400, 400]);

    const binary = await pollingSession(object);
    expect((await binary.post("4a", { "content-type": "application/octet-stream" })).status).toBe(400);

    const bad = await pollingSession(object);
    expect((await bad.post("abc")).status).toBe(400);
    for (const { poll } of [twice, posting, binary, bad]) expect((await poll()).status).toBe(400);
    expect(object.rows()["sessions"]).toBe(0);
  });

  test("a poll that the client aborts closes the session", async () => {
    const object = createEngineObject();
    const { poll } = await pollingSession(object);
    const controller = new AbortController();
    const aborted = poll({ signal: controller.signal });
    controller.abort();
    await aborted;
    expect(object.rows()["sessions"]).toBe(0);
  });

  test("after a close packet the poll gets a noop", async () => {
    const object = createEngineObject();
    const { poll, post } = await pollingSession(object);
    const waiting = poll();
    expect(await (await post("1")).text()).toBe("ok");
    expect(await (await waiting).text()).toBe("6");
    expect((await poll()).status).toBe(400);
  });

  test("a body of maxPayload bytes is accepted, one byte more is not", async () => {
    const object = createEngineObject({ maxPayload: 10 });
    const { post, poll } = await pollingSession(object);
    expect((await post("4éééé1")).status).toBe(200);
    expect((await post("4éééé12")).status).toBe(413);
    expect(await (await poll()).text()).toBe("4éééé1");
  });

  test("packets of a body over packetRate are ignored, and end the session with a close packet", async () => {
    const object = createEngineObject({ packetRate: { burst: 2, perSecond: 1 } });
    const { post, poll } = await pollingSession(object);
    expect((await post(["4a", "4b", "4c", "4d"].join("\u001E"))).status).toBe(200);
    expect(await (await poll()).text()).toBe("4a\u001E4b");
    expect(await (await poll()).text()).toBe("1");
    expect((await poll()).status).toBe(400);
    expect(object.logged).toEqual(["socketio.too-many-packets"]);
  });

  test("a client that fetches nothing for 10 s is closed over maxBufferedBytes [OR-116]", async () => {
    const object = createEngineObject({ ...withoutPings, maxBufferedBytes: 10 });
    const { post, poll } = await pollingSession(object);
    await post("4aaaa\u001E4bbbb\u001E4cc");
    expect(await (await poll()).text()).toBe("4aaaa\u001E4bbbb\u001E4cc");
    await post("4aaaa\u001E4bbbb");
    object.advance(10_000);
    await post("4c");
    expect((await poll()).status).toBe(400);
    expect(object.rows()).toMatchObject({ sessions: 0, poll_buffer: 0 });
  });

  test("a burst between two polls may have three times maxBufferedBytes, and no more [OR-116]", async () => {
    const object = createEngineObject({ ...withoutPings, maxBufferedBytes: 10 });
    const { post, poll } = await pollingSession(object);
    await post(Array.from({ length: 6 }, () => "4aaaa").join("\u001E"));
    expect((await poll()).status).toBe(200);
    await post(Array.from({ length: 7 }, () => "4aaaa").join("\u001E"));
    expect((await poll()).status).toBe(400);
  });

  describe("a body that never ends", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
    afterEach(() => void vi.useRealTimers());

    /** Sends the start of a body, and then nothing. */
    async function send(object: ReturnType<typeof createEngineObject>, query: string) {
      const body = new TransformStream<Uint8Array, Uint8Array>();
      const posted = object.request(query, { method: "POST", body: body.readable, duplex: "half" } as RequestInit);
      await body.writable.getWriter().write(new Uint8Array([0x34]));
      return posted;
    }

    async function statusAfter(posted: Promise<Response>, milliseconds: number) {
      let answer: Response | undefined;
      void posted.then((response) => (answer = response));
      await vi.advanceTimersByTimeAsync(milliseconds);
      return answer?.status;
    }

    test("of a request with an error response is read for 5 s", async () => {
      const object = createEngineObject();
      const posted = send(object, "transport=polling&sid=unknown");
      expect(await statusAfter(posted, 4_999)).toBeUndefined();
      expect(await statusAfter(posted, 1)).toBe(400);
    });

    test("of a session is read for 60 s, and ends the session", async () => {
      const object = createEngineObject();
      const { sid } = await pollingSession(object);
      const posted = send(object, `transport=polling&sid=${sid}`);
      expect(await statusAfter(posted, 59_999)).toBeUndefined();
      expect(await statusAfter(posted, 1)).toBe(400);
      expect(object.rows()["sessions"]).toBe(0);
    });
  });

  test("a post whose body arrives after closeAll gets ok, not an error", async () => {
    const object = createEngineObject();
    const { sid, poll } = await pollingSession(object);
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const query = `transport=polling&sid=${sid}`;
    const posted = object.request(query, { method: "POST", body: body.readable, duplex: "half" } as RequestInit);
    const polling = poll();
    object.server.closeAll();
    await body.writable.close();
    expect(await (await polling).text()).toBe("1");
    expect(await (await posted).text()).toBe("ok");
    expect(object.rows()).toEqual({});
  });
});
