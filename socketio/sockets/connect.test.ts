/** How sockets connect and disconnect, limits and damaged rows, across evictions. */
import { describe, expect, test } from "vitest";
import { createChat, idOf } from "../../test/support/socketio/chat-server.ts";
import { createSocketObject, pollingSession, type Peer } from "../../test/support/socketio/object-in-node.ts";

describe("CONNECT", () => {
  test("gets an id, and onConnect is called", async () => {
    const { object, events, enter, server } = createChat();
    const peer = await enter("Ann");
    expect(peer.inbox[1]).toMatch(/^40\{"sid":"id-2","pid":"id-3"\}$/);
    expect(events).toEqual([["connect", "/", "Ann", false]]);
    object.evict();
    expect(server().sockets()).toMatchObject([{ id: "id-2", namespace: "/", data: { name: "Ann" } }]);
    expect(server().socket("id-2")?.request).toMatchObject({ url: expect.stringContaining("transport=websocket") });
    expect(server().roomsOf("id-2")).toEqual(["all"]);
    expect(server().counts()).toEqual({ sessions: 1, sockets: 1 });
  });

  test("rejected: CONNECT_ERROR with message and data, then the close code; no callback", async () => {
    const { object, events } = createChat();
    const peer = await object.connect();
    peer.send("40");
    await object.settle();
    expect(peer.read().slice(1)).toEqual(['44{"message":"no name","data":{"hint":"send a name"}}']);
    expect(peer.closed?.code).toBe(4401);
    expect(events).toEqual([]);
  });

  test("rejected over polling: the next polls get the reason and a close packet", async () => {
    const { object } = createChat();
    const { poll, post } = await pollingSession(object);
    await post("40");
    await object.settle();
    object.evict();
    const last = await poll();
    expect(await last.text()).toBe('44{"message":"no name","data":{"hint":"send a name"}}');
    object.evict();
    expect(await (await poll()).text()).toBe("1");
    expect((await poll()).status).toBe(400);
  });

  test("one session over maxSessions replaces the oldest without CONNECT, or gets a 503 [OR-114]", async () => {
    const { object, enter } = createChat({ maxSessions: 3 });
    const ann = await enter("Ann");
    const idle = await object.connect();
    object.advance(1);
    const later = await object.connect();
    const ben = await enter("Ben");
    expect([ann, idle, later, ben].map(({ closed }) => closed?.code)).toEqual([undefined, 4408, undefined, undefined]);
    await enter("Cid");
    expect(later.closed?.code).toBe(4408);
    expect((await object.request("transport=polling")).status).toBe(503);
  });

  test("rejected over polling: a client that sends a close packet leaves nothing behind", async () => {
    const { object } = createChat();
    const { poll, post } = await pollingSession(object);
    await post("40");
    await object.settle();
    await poll();
    await post("1");
    expect(object.rows()["sessions"]).toBe(0);
  });

  test("to an unknown namespace: CONNECT_ERROR; the session stays open", async () => {
    const { object, enter } = createChat({ namespaces: ["/", "/custom"] });
    const peer = await object.connect();
    peer.read();
    peer.send('40/random,{"name":"Ann"}');
    expect(peer.read()).toEqual(['44/random,{"message":"Invalid namespace"}']);
    expect(peer.closed).toBe(undefined);
    expect((await enter("Ben", "/custom,")).inbox[1]).toMatch(/^40\/custom,\{"sid":/);
  });

  test("an authenticate that throws is logged; the client does not get its text", async () => {
    const { object } = createChat({}, () => {
      throw new Error("database down");
    });
    const peer = await object.connect();
    peer.send("40");
    await object.settle();
    expect(peer.inbox[1]).toBe('44{"message":"Internal server error"}');
    expect(object.logged).toEqual(["socketio.callback-failed"]);
  });

  test("twice, or an event before it, closes the session", async () => {
    const { object, enter } = createChat();
    const twice = await enter("Ann");
    twice.send('40{"name":"Ann"}');
    expect(twice.closed?.code).toBe(4400);

    const early = await object.connect();
    early.send('42["hello"]');
    expect(early.closed?.code).toBe(4400);

    const pending = await object.connect();
    pending.send('40{"name":"Ann"}');
    pending.send('40{"name":"Ann"}');
    await object.settle();
    expect(pending.closed?.code).toBe(4400);
  });

  test("not in time: the session is closed at connectTimeoutMs, after its opening or the last DISCONNECT [OR-115]", async () => {
    const { object, enter } = createChat({ connectTimeoutMs: 1_000 });
    const idle = await object.connect();
    const ann = await enter("Ann");
    object.advance(999);
    expect(idle.closed).toBe(undefined);
    object.advance(1);
    expect(idle.closed?.code).toBe(4408);
    ann.send("41");
    object.evict();
    object.advance(1_000);
    expect(ann.closed?.code).toBe(4408);
  });

  test("one socket over maxSockets or maxSocketsPerRoom is rejected", async () => {
    const { enter } = createChat({ maxSockets: 2 });
    await enter("Ann");
    await enter("Ben");
    expect((await enter("Cleo")).inbox[1]).toBe('44{"message":"Too many connections"}');

    const { enter: enterRoom, server } = createChat({ maxSocketsPerRoom: 1 });
    const ann = await enterRoom("Ann");
    expect((await enterRoom("Ben")).inbox[1]).toBe('44{"message":"Too many connections"}');
    expect(server().join(idOf(ann), "all")).toBe(true);
  });
});

describe("DISCONNECT", () => {
  test("by the client leaves the namespace, not the session", async () => {
    const { enter, events, server } = createChat({ namespaces: ["/", "/custom"] });
    const ann = await enter("Ann");
    ann.send('40/custom,{"name":"Ann"}');
    await Promise.resolve();
    ann.send("41");
    expect(events).toContainEqual(["disconnect", "Ann", "client namespace disconnect"]);
    expect(ann.closed).toBe(undefined);
    expect(server().counts().sockets).toBe(0);
  });

  test("closes an empty session at once if the options say so, with the close code of the server", async () => {
    const { enter, server } = createChat({ closeEmptySessions: true });
    const ann = await enter("Ann");
    ann.send("41");
    expect(ann.closed?.code).toBe(1000);
    const ben = await enter("Ben");
    server().disconnect(idOf(ben), { close: true, closeCode: 4403 });
    expect([ben.inbox.at(-1), ben.closed?.code]).toEqual(["41", 4403]);
  });

  test("by the server, with the session or without", async () => {
    const { object, enter, events, server } = createChat();
    const ann = await enter("Ann");
    const ben = await enter("Ben");
    const [annId, benId] = [idOf(ann), idOf(ben)];
    object.evict();
    server().disconnect(annId);
    server().disconnect(benId, { close: true, closeCode: 4403 });
    expect([ann.inbox.at(-1), ben.inbox.at(-1)]).toEqual(["41", "41"]);
    expect([ann.closed?.code, ben.closed?.code]).toEqual([undefined, 4403]);
    expect(events.slice(2)).toEqual([
      ["disconnect", "Ann", "server namespace disconnect"],
      ["disconnect", "Ben", "server namespace disconnect"],
    ]);
  });

  test("closeAll disconnects all and stores nothing; new clients can connect", async () => {
    const { object, enter, events, server } = createChat();
    const ann = await enter("Ann");
    server().closeAll();
    expect(ann.closed?.code).toBe(1000);
    expect(events.at(-1)).toEqual(["disconnect", "Ann", "forced server close"]);
    expect(object.rows()).toEqual({});
    expect(server().emit({}, "x", [])).toBe(0);
    expect((await enter("Ben")).inbox[1]).toMatch(/^40/);
  });
});

test("closeAll reaches a client between two polls with the next one, and stores nothing for it", async () => {
  const { object, server } = createChat();
  const { poll, post } = await pollingSession(object);
  await post('40{"name":"Ann"}');
  await object.settle();
  await poll();
  for (const { id } of server().sockets()) server().disconnect(id, { close: true });
  server().closeAll();
  expect(object.rows()).toEqual({});
  expect(await (await post("42[]")).text()).toBe("ok");
  expect(await (await poll()).text()).toBe("41");
  expect(await (await poll()).text()).toBe("1");
  expect((await poll()).status).toBe(400);
});

test("onDisconnect is called once for a socket that another's onDisconnect disconnects", async () => {
  const disconnected: string[] = [];
  const object = createSocketObject<undefined>(
    (server) => ({
      authenticate: () => ({ ok: true, data: undefined }),
      onDisconnect({ id }) {
        disconnected.push(id);
        for (const other of server().sockets({ namespace: "/custom" })) server().disconnect(other.id);
      },
    }),
    { namespaces: ["/", "/custom"] },
  );
  const peer = await object.connect();
  peer.send("40");
  peer.send("40/custom");
  await object.settle();
  peer.drop();
  expect(disconnected).toHaveLength(2);
  expect(new Set(disconnected).size).toBe(2);
});

test("calls to an unused object store nothing", () => {
  const { object, server } = createChat();
  expect(server().sockets()).toEqual([]);
  expect(server().counts()).toEqual({ sessions: 0, sockets: 0 });
  expect(server().emit({}, "x", [])).toBe(0);
  expect(server().alarm()).toBe(undefined);
  expect(object.rows()).toEqual({});
});

test("closeAll drops a pending CONNECT, and nothing is logged", async () => {
  const checking = Promise.withResolvers<void>();
  const { object, server } = createChat({}, async () => {
    await checking.promise;
    return { ok: true, data: { name: "Ann" } };
  });
  const peer = await object.connect();
  peer.send("40");
  server().closeAll();
  checking.resolve();
  await object.settle();
  expect(peer.closed?.code).toBe(1000);
  expect([object.rows(), object.logged]).toEqual([{}, []]);
});

test("a socket whose stored data parseData rejects is disconnected", async () => {
  const object = createSocketObject<number>(() => ({
    authenticate: () => ({ ok: true, data: 1 }),
    parseData: (stored) => (typeof stored === "number" ? stored : undefined),
  }));
  const peer = await object.connect();
  peer.send("40");
  await object.settle();
  expect(object.server.sockets()).toMatchObject([{ data: 1 }]);
  object.damage("UPDATE socketio_sockets SET data = 'true'");
  object.evict();
  expect(object.server.sockets()).toEqual([]);
  expect(peer.inbox.at(-1)).toBe("41");
});

describe("a socket whose stored data is damaged", () => {
  async function damaged() {
    const chat = createChat();
    const ann = await chat.enter("Ann");
    const ben = await chat.enter("Ben");
    const id = idOf(ann);
    for (const peer of [ann, ben]) peer.read();
    chat.object.damage(`UPDATE socketio_sockets SET data = '{"name":' WHERE id = '${id}'`);
    chat.object.evict();
    return { ...chat, ann, ben, id };
  }

  test("is disconnected when it is read; the other sockets stay", async () => {
    const { object, server, ann, ben } = await damaged();
    expect(server().sockets()).toMatchObject([{ data: { name: "Ben" } }]);
    expect(ann.read()).toEqual(["41"]);
    expect([ann.closed, ben.closed]).toEqual([undefined, undefined]);
    expect(object.logged).toEqual(["socketio.socket-damaged"]);
    ben.send('4212["echo","still here"]');
    expect(ben.read()).toEqual(['4312["still here"]']);
  });

  test.each([
    ["sends an event", (ann: Peer) => ann.send('42["hello"]')],
    ["answers", (ann: Peer) => ann.send('431["!"]')],
    ["leaves", (ann: Peer) => ann.send("41")],
    ["is lost", (ann: Peer) => ann.drop()],
  ])("leaves nothing behind when it %s", async (_name, act) => {
    const { object, server, events, ann, id } = await damaged();
    server().emitWithAck(id, "ask", [], { handler: "answer", timeoutMs: 1_000 });
    act(ann);
    object.advance(1_000);
    expect(events.slice(2)).toEqual([]);
    expect(object.logged).toEqual(["socketio.socket-damaged"]);
    expect(server().presence(id)).toBe(undefined);
    expect(object.rows()).toMatchObject({ sockets: 1, acks: 0 });
  });
});
