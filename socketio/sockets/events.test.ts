/** Events and acknowledgements, text and binary, from clients and to them, across evictions. */
import { describe, expect, test } from "vitest";
import { createChat, idOf } from "../../test/support/socketio/chat-server.ts";
import { pollingSession } from "../../test/support/socketio/object-in-node.ts";

describe("events", () => {
  test("arrive with their arguments, and reach their target", async () => {
    const { object, events, enter } = createChat({ recovery: undefined });
    const ann = await enter("Ann");
    const ben = await enter("Ben");
    object.evict();
    for (const peer of [ann, ben]) peer.read();
    ann.send('42["shout",1,"two",{"three":[true]}]');
    expect(events.at(-1)).toEqual(["shout", "Ann", 1, "two", { three: [true] }]);
    expect(ben.read()).toEqual(['42["shout",1,"two",{"three":[true]}]']);
    expect(ann.read()).toEqual([]);
  });

  test("rooms, single sockets and exceptions", async () => {
    const { object, enter, server } = createChat({ recovery: undefined });
    const peers = [await enter("Ann"), await enter("Ben"), await enter("Cleo")];
    const [ann = "", ben = "", cleo = ""] = peers.map(idOf);
    for (const peer of peers) peer.read();
    server().join(ann, "left");
    server().join(ben, "left");
    object.evict();
    expect(server().emit({ rooms: ["left", cleo] }, "a", [])).toBe(3);
    expect(server().emit({ rooms: ["left"], except: [ben] }, "b", [])).toBe(1);
    expect(server().emit({ except: ["left"] }, "c", [])).toBe(1);
    expect(server().emit({ rooms: ["empty"] }, "d", [])).toBe(0);
    expect(server().emit({ namespace: "/other" }, "e", [])).toBe(0);
    expect(
      server()
        .sockets({ rooms: ["left"] })
        .map(({ data }) => data.name),
    ).toEqual(["Ann", "Ben"]);
    server().leave(ann, "left");
    expect(server().emit({ rooms: ["left"] }, "f", [])).toBe(1);
    expect(
      peers.map((peer) =>
        peer
          .read()
          .map((frame) => frame.slice(4, 5))
          .join(""),
      ),
    ).toEqual(["ab", "af", "ac"]);
  });

  test("setData counts for the next event; a disconnected socket has none", async () => {
    const { object, events, enter, server } = createChat();
    const ann = await enter("Ann");
    ann.send('42["first"]');
    server().setData(idOf(ann), { name: "Anna" });
    object.evict();
    ann.send('42["second"]');
    expect(events.slice(1)).toEqual([
      ["first", "Ann"],
      ["second", "Anna"],
    ]);
    server().disconnect(idOf(ann));
    ann.send('42["third"]');
    expect(events.at(-1)).toEqual(["disconnect", "Anna", "server namespace disconnect"]);
    expect(ann.closed?.code).toBe(4400);
  });

  test("a callback that throws is logged and affects no socket", async () => {
    const { object, enter, events } = createChat();
    const ann = await enter("Ann");
    ann.send('42["fail"]');
    ann.send('42["next"]');
    expect(object.logged).toEqual(["socketio.callback-failed"]);
    expect(events.at(-1)).toEqual(["next", "Ann"]);
  });

  test("a reserved name cannot be sent", async () => {
    const { enter, server } = createChat();
    await enter("Ann");
    expect(() => server().emit({}, "disconnect", [])).toThrow("reserved");
  });

  test.each(["4abc", "42{}", '42abc["x"]', "42", "43[]", "44{}", '42["connect"]', "45", "451-[", "4", "47"])(
    "%j closes the session",
    async (message) => {
      const { enter, events } = createChat();
      const ann = await enter("Ann");
      ann.send(message);
      expect(ann.closed?.code).toBe(4400);
      expect(events.at(-1)).toEqual(["disconnect", "Ann", "parse error"]);
    },
  );

  test("volatile ones are dropped for a polling client between two polls, others buffered", async () => {
    const { object, server } = createChat({ recovery: undefined });
    const { poll, post } = await pollingSession(object);
    await post('40{"name":"Ann"}');
    await object.settle();
    await poll();
    expect(server().emit({}, "tick", [1], { volatile: true })).toBe(0);
    expect(server().emit({}, "news", [2])).toBe(1);
    expect(await (await poll()).text()).toBe('42["news",2]');
  });
});

describe("binary", () => {
  const header = '452-["data",{"_placeholder":true,"num":1},{"_placeholder":true,"num":0}]';

  test("attachments in separate frames, the object evicted between any two", async () => {
    const { object, enter, events } = createChat();
    const ann = await enter("Ann");
    for (const frame of [header, new ArrayBuffer(3), new ArrayBuffer(5)]) {
      ann.send(frame);
      object.evict();
    }
    expect(events.at(-1)).toEqual(["data", "Ann", 5, 3]);
    expect(object.rows()).toMatchObject({ partials: 0, partial_parts: 0 });
  });

  test("is sent as placeholders and frames, acknowledgements too", async () => {
    const { enter, server } = createChat({ recovery: undefined });
    const ann = await enter("Ann");
    ann.read();
    server().emit({}, "data", [Uint8Array.from([1, 2, 3]), { deep: Uint8Array.from([4]).buffer }]);
    expect(ann.read()).toEqual([
      '452-["data",{"_placeholder":true,"num":0},{"deep":{"_placeholder":true,"num":1}}]',
      "bAQID",
      "bBA==",
    ]);
    ann.send('451-7["echo",{"_placeholder":true,"num":0}]');
    ann.send(Uint8Array.from([9]).buffer);
    expect(ann.read()).toEqual(['461-7[{"_placeholder":true,"num":0}]', "bCQ=="]);
  });

  test.each([
    ["text between attachments", ['42["x"]']],
    ["a placeholder for nothing", [new ArrayBuffer(1), new ArrayBuffer(1)], '452-["x",{"_placeholder":true,"num":2}]'],
    ["an attachment of nothing", [new ArrayBuffer(1)], '42["x"]'],
    ["too many attachments", [], '4511-["x"]'],
  ] as const)("%s closes the session and leaves nothing", async (_name, frames, first: string = header) => {
    const { object, enter } = createChat();
    const ann = await enter("Ann");
    ann.send(first);
    for (const frame of frames) ann.send(frame);
    expect(ann.closed?.code).toBe(4400);
    expect(object.rows()).toMatchObject({ partials: 0, partial_parts: 0 });
  });

  test("maxPayload limits all parts together", async () => {
    const { enter } = createChat({ maxPayload: 100 });
    const ann = await enter("Ann");
    const short = '452-["x",{"_placeholder":true,"num":0}]';
    ann.send(short);
    ann.send(new ArrayBuffer(50));
    expect(ann.closed).toBe(undefined);
    ann.send(new ArrayBuffer(50));
    expect(ann.closed?.code).toBe(1009);
  });

  test("closes the session if the options say so", async () => {
    const { enter } = createChat({ binary: false });
    for (const message of [header, new ArrayBuffer(1)]) {
      const ann = await enter("Ann");
      ann.send(message);
      expect(ann.closed?.code).toBe(4400);
    }
  });
});

describe("acknowledgements", () => {
  test("of the client's events, now or after an eviction", async () => {
    const { object, enter, server } = createChat();
    const ann = await enter("Ann");
    const id = idOf(ann);
    ann.read();
    ann.send('4212["echo",1,{"a":2}]');
    expect(ann.read()).toEqual(['4312[1,{"a":2}]']);
    ann.send('4213["later"]');
    object.evict();
    expect(server().acknowledge(id, 13, ["done"])).toBe(true);
    expect(ann.read()).toEqual(['4313["done"]']);
  });

  test("of the server's events reach their named handler once, across an eviction", async () => {
    const { object, enter, events, server } = createChat();
    const ann = await enter("Ann");
    const id = idOf(ann);
    ann.read();
    expect(server().emitWithAck(id, "ask", ["?"], { handler: "answer", context: { call: 7 }, timeoutMs: 1_000 })).toBe(
      true,
    );
    expect(ann.read()).toEqual(['421["ask","?"]']);
    object.evict();
    ann.send('431["!"]');
    ann.send('431["!"]');
    object.advance(1_000);
    expect(events.slice(1)).toEqual([["answer", "Ann", { ok: true, args: ["!"] }, { call: 7 }]]);
    expect(object.logged).toEqual(["socketio.ack-ignored"]);
  });

  test("time out; a late one is ignored, and no id is reused", async () => {
    const { object, enter, events, server } = createChat();
    const ann = await enter("Ann");
    const id = idOf(ann);
    server().emitWithAck(id, "ask", [], { handler: "answer", timeoutMs: 1_000 });
    object.evict();
    object.advance(999);
    expect(events).toHaveLength(1);
    object.advance(1);
    expect(events.at(-1)).toEqual(["answer", "Ann", { ok: false, reason: "timeout" }, undefined]);
    server().emitWithAck(id, "ask", [], { handler: "answer", timeoutMs: 1_000 });
    ann.send("431[]");
    expect(events).toHaveLength(2);
    ann.send("432[]");
    expect(events.at(-1)).toEqual(["answer", "Ann", { ok: true, args: [] }, undefined]);
  });

  test("end with their socket, and count from their socket only", async () => {
    const { enter, events, server } = createChat();
    const ann = await enter("Ann");
    const ben = await enter("Ben");
    server().emitWithAck(idOf(ann), "ask", [], { handler: "answer", timeoutMs: 1_000 });
    ben.send('431["mine"]');
    expect(events).toHaveLength(2);
    ann.drop();
    expect(events.slice(2)).toEqual([
      ["answer", "Ann", { ok: false, reason: "disconnected" }, undefined],
      ["disconnect", "Ann", "transport close"],
    ]);
    expect(server().emitWithAck("unknown", "ask", [], { handler: "answer", timeoutMs: 1 })).toBe(false);
    expect(() => server().emitWithAck(idOf(ben), "ask", [], { handler: "missing", timeoutMs: 1 })).toThrow("missing");
  });
});
