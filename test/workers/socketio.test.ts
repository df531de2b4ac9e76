/**
 * The socket server in a real Durable Object: hibernating websockets, real alarms, real evictions between any two
 * steps.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

const URL_OF = "https://object.test/socket.io/?EIO=4&transport=";

function createObject() {
  const stub = env.TEST_SOCKETS.getByName(crypto.randomUUID());
  return {
    stub,
    evict: () => evictDurableObject(stub),
    /** Resolves when this many parts of a binary packet, its text included, are in storage. */
    async partsArrived(parts: number): Promise<void> {
      const count = () =>
        runInDurableObject(
          stub,
          (_object, { storage }) =>
            storage.sql
              .exec<{ parts: number }>(
                `SELECT (SELECT COUNT(*) FROM socketio_partials) + (SELECT COUNT(*) FROM socketio_partial_parts) AS parts`,
              )
              .one().parts,
        );
      while ((await count()) < parts);
    },
    request: (query: string, init?: RequestInit) => stub.fetch(`${URL_OF}${query}`, init),
    connect: async (query = "websocket") =>
      listen(await stub.fetch(`${URL_OF}${query}`, { headers: { Upgrade: "websocket" } })),
  };
}

/** A client that answers pings; `next` returns all other packets. */
function listen({ webSocket }: Response) {
  if (webSocket === null) throw new Error("no websocket");
  const frames: (string | readonly number[])[] = [];
  const readers: (() => void)[] = [];
  const pings: (() => void)[] = [];
  const ended: { code?: number } = {};
  webSocket.binaryType = "arraybuffer";
  webSocket.accept();
  webSocket.addEventListener("message", ({ data }) => {
    if (data === "2") {
      webSocket.send("3");
      pings.shift()?.();
    } else frames.push(typeof data === "string" ? data : [...new Uint8Array(data as ArrayBuffer)]);
    readers.shift()?.();
  });
  webSocket.addEventListener("close", ({ code }) => {
    ended.code = code;
    for (const read of readers) read();
  });
  return {
    send: (message: string | ArrayBuffer) => webSocket.send(message),
    close: () => webSocket.close(1000),
    ping: () => new Promise<void>((resolve) => pings.push(resolve)),
    async next() {
      while (frames.length === 0 && ended.code === undefined) {
        await new Promise<void>((resolve) => readers.push(resolve));
      }
      return frames.shift() ?? ended.code;
    },
  };
}

test("a whole conversation, with the object evicted before every step", async () => {
  const { connect, evict, partsArrived } = createObject();
  const client = await connect();
  expect(await client.next()).toMatch(/^0\{"sid":/);
  await evict();
  client.send('40{"token":"123"}');
  expect(await client.next()).toMatch(/^40\{"sid":"[\w-]{20}","pid":"[\w-]{20}"\}$/);
  expect(await client.next()).toMatch(/^42\["auth",\{"token":"123"\},"[0-9a-z]+"\]$/);
  await evict();
  client.send('42["message",1,{"two":[3]}]');
  expect(await client.next()).toMatch(/^42\["message-back",1,\{"two":\[3\]\},/);
  await evict();
  client.send('4217["message-with-ack","done"]');
  expect(await client.next()).toBe('4317["done"]');
  await evict();
  client.send('452-5["message-with-ack",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]');
  await partsArrived(1);
  await evict();
  client.send(Uint8Array.from([1, 2]).buffer);
  await partsArrived(2);
  await evict();
  client.send(Uint8Array.from([3]).buffer);
  expect(await client.next()).toBe('462-5[{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]');
  expect([await client.next(), await client.next()]).toEqual([[1, 2], [3]]);
  await evict();
  client.send("4abc");
  expect(await client.next()).toBe(4400);
});

test("the alarm sends pings, evicted or not", async () => {
  const { connect, evict } = createObject();
  const client = await connect();
  await client.ping();
  await evict();
  await client.ping();
  client.send("40");
  await client.next();
  expect(await client.next()).toMatch(/^40/);
});

test("from polling to websocket, evicted between any two steps", async () => {
  const { connect, evict, request } = createObject();
  const opened = await (await request("polling")).text();
  const { sid } = JSON.parse(opened.slice(1)) as { sid: string };
  await evict();
  expect(await (await request(`polling&sid=${sid}`, { method: "POST", body: "40" })).text()).toBe("ok");
  await evict();
  const packets = (await (await request(`polling&sid=${sid}`)).text()).split("\u001E");
  // A ping may arrive between any two steps.
  const [connected, auth] = packets.filter((packet) => packet !== "2");
  expect(connected).toMatch(/^40\{.+\}$/);
  expect(auth).toMatch(/^42\["auth",\{\},"\w+"\]$/);
  const client = await connect(`websocket&sid=${sid}`);
  await evict();
  client.send("2probe");
  expect(await client.next()).toBe("3probe");
  await evict();
  client.send("5");
  client.send('42["message","over"]');
  expect(await client.next()).toMatch(/^42\["message-back","over",/);
  expect((await request(`polling&sid=${sid}`)).status).toBe(400);
});

test("a lost socket is recovered with the events that it missed, across evictions [OR-112]", async () => {
  const { connect, evict } = createObject();
  const away = await connect();
  await away.next();
  away.send("40");
  const { sid, pid } = JSON.parse(String(await away.next()).slice(2)) as { sid: string; pid: string };
  const [, , offset] = JSON.parse(String(await away.next()).slice(2)) as [string, object, string];
  away.close();
  await evict();

  const other = await connect();
  await other.next();
  other.send("40");
  await other.next();
  await other.next();
  other.send('42["message-to-all","one"]');
  other.send('42["message-to-all","two"]');
  await other.next();
  await other.next();
  await evict();

  const back = await connect();
  await back.next();
  back.send(`40${JSON.stringify({ pid, offset })}`);
  expect(await back.next()).toBe(`40${JSON.stringify({ sid, pid })}`);
  expect(await back.next()).toMatch(/^42\["message-back","one",/);
  expect(await back.next()).toMatch(/^42\["message-back","two",/);
});

test("storage is empty after the last client has left", async () => {
  const { stub, connect } = createObject();
  const client = await connect();
  await client.next();
  client.send("40");
  await client.next();
  await client.next();
  client.send("41");
  client.send("1");
  expect(await client.next()).toBe(1000);
  const rows = await runInDurableObject(stub, (_object, { storage }) =>
    storage.sql.exec("SELECT sid FROM socketio_sessions UNION ALL SELECT id FROM socketio_sockets").toArray(),
  );
  expect(rows).toEqual([]);
});
