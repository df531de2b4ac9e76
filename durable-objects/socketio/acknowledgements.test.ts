/** Acknowledgements in both directions over the object, each across an eviction. */
import { expect, test } from "vitest";
import { createChat, idOf } from "../../test/support/socketio/chat-server.ts";

test("the client's are answered, now or after an eviction", async () => {
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

test("ours reach their named handler once, across an eviction", async () => {
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

test("time-out at its time, after which an answer means nothing and no id comes again", async () => {
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

test("whoever leaves answers no more, and nobody answers for another", async () => {
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
  expect(server().emitWithAck("nobody", "ask", [], { handler: "answer", timeoutMs: 1 })).toBe(false);
  expect(() => server().emitWithAck(idOf(ben), "ask", [], { handler: "unheard", timeoutMs: 1 })).toThrow("unheard");
});
