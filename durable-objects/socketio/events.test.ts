/** Events over the object, text and binary, from clients and to them, each across evictions. */
import { describe, expect, test } from "vitest";
import { createChat, idOf } from "../../test/support/socketio/chat-server.ts";

describe("events", () => {
  test("arrive with their arguments, and reach whom they are for", async () => {
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
    expect(server().emit({ rooms: ["nobody"] }, "d", [])).toBe(0);
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

  test("what is set with a socket is known with its next event, and a socket that left is not", async () => {
    const { events, enter, server } = createChat();
    const ann = await enter("Ann");
    ann.send('42["first"]');
    server().setData(idOf(ann), { name: "Anna" });
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

  test("a callback that throws is logged and harms nobody", async () => {
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

  test("volatile ones are dropped for a polling client that does not wait, others kept", async () => {
    const { object, server } = createChat({ recovery: undefined });
    const sid = (JSON.parse((await (await object.request("transport=polling")).text()).slice(1)) as { sid: string })
      .sid;
    await object.request(`transport=polling&sid=${sid}`, { method: "POST", body: '40{"name":"Ann"}' });
    await object.settle();
    await object.request(`transport=polling&sid=${sid}`);
    expect(server().emit({}, "tick", [1], { volatile: true })).toBe(0);
    expect(server().emit({}, "news", [2])).toBe(1);
    expect(await (await object.request(`transport=polling&sid=${sid}`)).text()).toBe('42["news",2]');
  });
});

describe("binary", () => {
  const header = '452-["data",{"_placeholder":true,"num":1},{"_placeholder":true,"num":0}]';

  test("attachments in frames of their own, the object evicted between any two", async () => {
    const { object, enter, events } = createChat();
    const ann = await enter("Ann");
    for (const frame of [header, new ArrayBuffer(3), new ArrayBuffer(5)]) {
      ann.send(frame);
      object.evict();
    }
    expect(events.at(-1)).toEqual(["data", "Ann", 5, 3]);
    expect(object.rows()).toMatchObject({ partials: 0, partial_parts: 0 });
  });

  test("goes out as placeholders and frames, acknowledgements too", async () => {
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

  test("all parts together are bounded by maxPayload", async () => {
    const { enter } = createChat({ maxPayload: 100 });
    const ann = await enter("Ann");
    const short = '452-["x",{"_placeholder":true,"num":0}]';
    ann.send(short);
    ann.send(new ArrayBuffer(50));
    expect(ann.closed).toBe(undefined);
    ann.send(new ArrayBuffer(50));
    expect(ann.closed?.code).toBe(1009);
  });

  test("is refused where the options say so", async () => {
    const { enter } = createChat({ binary: false });
    for (const message of [header, new ArrayBuffer(1)]) {
      const ann = await enter("Ann");
      ann.send(message);
      expect(ann.closed?.code).toBe(4400);
    }
  });
});
