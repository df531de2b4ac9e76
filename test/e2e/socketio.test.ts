/** Stock clients on the socket server in a real Durable Object of a running workerd (npm run socketio:fixture). */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { io, type Socket } from "socket.io-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { projectRoot } from "../../scripts/run-command.ts";
import { startFixture } from "../../scripts/socketio-fixture/server.ts";
import { freePort } from "../support/server/free-port.ts";

const open = new Set<Socket>();
let port = 0;
let stop: () => Promise<void> = async () => undefined;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "twinedge-test-"));
  port = await freePort();
  stop = await startFixture(port, folder);
});

afterAll(async () => {
  for (const socket of open) socket.disconnect();
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Connects to the object with a long ping timeout (path /test/). */
function connect(options: object = {}, namespace = ""): Socket {
  const socket = io(`http://127.0.0.1:${port}${namespace}`, { path: "/test/", forceNew: true, ...options });
  open.add(socket);
  return socket;
}

/** The arguments of the next such event. */
function next(socket: Socket, event: string): Promise<unknown[]> {
  return new Promise((resolve) => socket.once(event, (...args: unknown[]) => resolve(args)));
}

/** Without the offset, which the server appends for recovery. */
async function nextEvent(socket: Socket, event: string): Promise<unknown[]> {
  return (await next(socket, event)).slice(0, -1);
}

describe.each([
  ["default options, polling first", {}],
  ["websocket only", { transports: ["websocket"] }],
  ["polling only", { transports: ["polling"] }],
])("%s", (_name, options) => {
  test("auth, events, acknowledgements and binary work in both directions", async () => {
    const socket = connect({ ...options, auth: { token: "123" } });
    expect(await nextEvent(socket, "auth")).toEqual([{ token: "123" }]);
    socket.emit("message", 1, "two", { three: [true] });
    expect(await nextEvent(socket, "message-back")).toEqual([1, "two", { three: [true] }]);
    expect(await socket.emitWithAck("message-with-ack", "é\u001E")).toBe("é\u001E");
    socket.emit("message", Uint8Array.from([1, 2, 3]), { deep: Uint8Array.from([4]) });
    const [first, second] = (await nextEvent(socket, "message-back")) as [Buffer, { deep: Buffer }];
    expect([[...first], [...second.deep]]).toEqual([[1, 2, 3], [4]]);
    socket.disconnect();
  });

  test("a burst of 9 MB without a pause reaches a client that reads, without closing it [OR-116]", async () => {
    const socket = connect(options);
    await next(socket, "auth");
    const reasons: string[] = [];
    socket.on("disconnect", (reason) => reasons.push(reason));
    const sizes: number[] = [];
    const all = new Promise<void>((resolve) => {
      socket.on("message-back", (text: string) => {
        sizes.push(text.length);
        if (sizes.length === 10) resolve();
      });
    });
    socket.emit("burst", 10, "x".repeat(900_000));
    await all;
    expect(await socket.emitWithAck("message-with-ack", "still there")).toBe("still there");
    expect([sizes, reasons]).toEqual([Array.from({ length: 10 }, () => 900_000), []]);
    socket.disconnect();
  });

  test("two namespaces share a connection, an unknown one is rejected [OR-111]", async () => {
    const socket = connect(options);
    await next(socket, "connect");
    const custom = socket.io.socket("/custom");
    await next(custom, "connect");
    expect(await custom.emitWithAck("message-with-ack", "here")).toBe("here");
    const unknown = socket.io.socket("/unknown");
    const [error] = (await next(unknown, "connect_error")) as [Error];
    expect(error.message).toBe("Invalid namespace");
    custom.disconnect();
    expect(await socket.emitWithAck("message-with-ack", "still")).toBe("still");
    socket.disconnect();
  });

  test("a lost connection is recovered with missed events, once and in order [OR-112]", async () => {
    const socket = connect({ ...options, reconnectionDelay: 1, reconnectionDelayMax: 1 });
    const other = connect({ transports: ["websocket"] });
    await Promise.all([next(socket, "auth"), next(other, "auth")]);
    const { id } = socket;
    const received: unknown[] = [];
    socket.on("message-back", (text) => received.push(text));
    const lost = next(socket, "disconnect");
    socket.io.engine.close();
    await lost;
    for (const text of ["one", "two", "three"]) other.emit("message-to-all", text);
    await other.emitWithAck("message-with-ack", "all sent");
    // It reconnects on its own: a concurrent call of `connect` would send CONNECT twice.
    if (!socket.connected) await next(socket, "connect");
    expect([socket.recovered, socket.id]).toEqual([true, id]);
    await socket.emitWithAck("message-with-ack", "all come");
    expect(received).toEqual(["one", "two", "three"]);
    socket.disconnect();
    other.disconnect();
  });
});

test("with default options, the client ends up on a websocket [OR-105]", async () => {
  const socket = connect();
  await next(socket, "connect");
  if (socket.io.engine.transport.name !== "websocket") {
    await new Promise((resolve) => socket.io.engine.once("upgrade", resolve));
  }
  expect(await socket.emitWithAck("message-with-ack", "up")).toBe("up");
  socket.disconnect();
});

test("after a restart of the server, the client reconnects as the same socket", async () => {
  const socket = connect({ transports: ["websocket"], reconnectionDelay: 10, reconnectionDelayMax: 50 });
  await next(socket, "auth");
  const { id } = socket;
  const lost = next(socket, "disconnect");
  await stop();
  await lost;
  const back = next(socket, "connect");
  stop = await startFixture(port, folder);
  await back;
  expect([socket.recovered, socket.id]).toEqual([true, id]);
  expect(await socket.emitWithAck("message-with-ack", "on")).toBe("on");
  socket.disconnect();
});

test.each(["/engine.io/", "/socket.io/"])("%s: a silent client is pinged and then closed", async (path) => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}?EIO=4&transport=websocket`);
  const pinged = new Promise((resolve) => {
    socket.on("message", (data: Buffer) => {
      if (data.toString() === "2") resolve(undefined);
    });
  });
  await Promise.all([pinged, once(socket, "close")]);
  expect(socket.readyState).toBe(WebSocket.CLOSED);
});

test("the example of the package's README runs", async () => {
  const library = join(projectRoot, "socketio");
  const [, example = ""] = /```ts\n(.+?)```/s.exec(readFileSync(join(library, "README.md"), "utf8")) ?? [];
  const exampleFolder = join(folder, "example");
  const configuration = join(exampleFolder, "wrangler.toml");
  mkdirSync(exampleFolder);
  writeFileSync(join(exampleFolder, "worker.ts"), example.replace("./index.ts", join(library, "index.ts")));
  writeFileSync(
    configuration,
    `name = "chat"
main = "worker.ts"
compatibility_date = "2026-11-01"
durable_objects.bindings = [{ name = "CHAT", class_name = "Chat" }]
migrations = [{ tag = "v1", new_sqlite_classes = ["Chat"] }]
`,
  );
  const examplePort = await freePort();
  const stopExample = await startFixture(examplePort, exampleFolder, { configuration, objects: { CHAT: "Chat" } });
  try {
    const connectAs = (name: string): Socket => {
      const socket = io(`http://127.0.0.1:${examplePort}`, { forceNew: true, auth: { name, room: "kitchen" } });
      open.add(socket);
      return socket;
    };
    const [ann, ben] = [connectAs("Ann"), connectAs("Ben")];
    await Promise.all([next(ann, "connect"), next(ben, "connect")]);
    const received = nextEvent(ben, "said");
    expect(await ann.emitWithAck("say", "hello")).toBe("delivered");
    expect(await received).toEqual(["Ann", "hello"]);
  } finally {
    await stopExample();
  }
});
