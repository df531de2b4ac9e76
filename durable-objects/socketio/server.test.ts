/** Who comes in and who goes, over the rig: admission, limits, disconnection, each across evictions. */
import { describe, expect, test } from "vitest";
import { createChatter, idOf } from "../../test/support/socket-chatter.ts";
import { createSocketRig } from "../../test/support/socketio-in-node.ts";

describe("CONNECT", () => {
  test("is answered with an id, and the application told", async () => {
    const { rig, told, enter, server } = createChatter();
    const peer = await enter("Ann");
    expect(peer.inbox[1]).toMatch(/^40\{"sid":"id-2","pid":"id-3"\}$/);
    expect(told).toEqual([["connect", "/", "Ann", false]]);
    rig.evict();
    expect(server().sockets()).toMatchObject([{ id: "id-2", namespace: "/", data: { name: "Ann" } }]);
    expect(server().socket("id-2")?.request).toMatchObject({ url: expect.stringContaining("transport=websocket") });
    expect(server().roomsOf("id-2")).toEqual(["all"]);
    expect(server().counts()).toEqual({ sessions: 1, sockets: 1 });
  });

  test("refused: CONNECT_ERROR with message and data, then the close code; no callback", async () => {
    const { rig, told } = createChatter();
    const peer = await rig.connect();
    peer.send("40");
    await rig.settle();
    expect(peer.read().slice(1)).toEqual(['44{"message":"no name","data":{"hint":"say who"}}']);
    expect(peer.closed?.code).toBe(4401);
    expect(told).toEqual([]);
  });

  test("refused over polling: the reason and a close packet wait to be fetched", async () => {
    const { rig } = createChatter();
    const sid = (JSON.parse((await (await rig.request("transport=polling")).text()).slice(1)) as { sid: string }).sid;
    await rig.request(`transport=polling&sid=${sid}`, { method: "POST", body: "40" });
    await rig.settle();
    rig.evict();
    const last = await rig.request(`transport=polling&sid=${sid}`);
    expect(await last.text()).toBe('44{"message":"no name","data":{"hint":"say who"}}');
    rig.evict();
    expect(await (await rig.request(`transport=polling&sid=${sid}`)).text()).toBe("1");
    expect((await rig.request(`transport=polling&sid=${sid}`)).status).toBe(400);
  });

  test("a session too many takes the place of the longest that has not connected; else it is refused", async () => {
    const { rig, enter } = createChatter({ maxSessions: 3 });
    const ann = await enter("Ann");
    const silent = await rig.connect();
    rig.advance(1);
    const later = await rig.connect();
    const ben = await enter("Ben");
    expect([ann, silent, later, ben].map(({ closed }) => closed?.code)).toEqual([
      undefined,
      4408,
      undefined,
      undefined,
    ]);
    await enter("Cid");
    expect(later.closed?.code).toBe(4408);
    expect((await rig.request("transport=polling")).status).toBe(503);
  });

  test("refused over polling: who says goodbye after the reason is forgotten", async () => {
    const { rig } = createChatter();
    const sid = (JSON.parse((await (await rig.request("transport=polling")).text()).slice(1)) as { sid: string }).sid;
    await rig.request(`transport=polling&sid=${sid}`, { method: "POST", body: "40" });
    await rig.settle();
    await rig.request(`transport=polling&sid=${sid}`);
    await rig.request(`transport=polling&sid=${sid}`, { method: "POST", body: "1" });
    expect(rig.rows()["sessions"]).toBe(0);
  });

  test("to an unknown namespace: CONNECT_ERROR, and the session goes on", async () => {
    const { rig, enter } = createChatter({ namespaces: ["/", "/custom"] });
    const peer = await rig.connect();
    peer.read();
    peer.send('40/random,{"name":"Ann"}');
    expect(peer.read()).toEqual(['44/random,{"message":"Invalid namespace"}']);
    expect(peer.closed).toBe(undefined);
    expect((await enter("Ben", "/custom,")).inbox[1]).toMatch(/^40\/custom,\{"sid":/);
  });

  test("an authentication that throws refuses, and is logged without its text reaching the client", async () => {
    const { rig } = createChatter({}, () => {
      throw new Error("database down");
    });
    const peer = await rig.connect();
    peer.send("40");
    await rig.settle();
    expect(peer.inbox[1]).toBe('44{"message":"Internal server error"}');
    expect(rig.logged).toEqual(["socketio.callback-failed"]);
  });

  test("twice, or an event before it, closes the session", async () => {
    const { rig, enter } = createChatter();
    const twice = await enter("Ann");
    twice.send('40{"name":"Ann"}');
    expect(twice.closed?.code).toBe(4400);

    const early = await rig.connect();
    early.send('42["hello"]');
    expect(early.closed?.code).toBe(4400);

    const impatient = await rig.connect();
    impatient.send('40{"name":"Ann"}');
    impatient.send('40{"name":"Ann"}');
    await rig.settle();
    expect(impatient.closed?.code).toBe(4400);
  });

  test("not in time: the session is closed at connectTimeoutMs, also after leaving the last namespace", async () => {
    const { rig, enter } = createChatter({ connectTimeoutMs: 1_000 });
    const silent = await rig.connect();
    const ann = await enter("Ann");
    rig.advance(999);
    expect(silent.closed).toBe(undefined);
    rig.advance(1);
    expect(silent.closed?.code).toBe(4408);
    ann.send("41");
    rig.evict();
    rig.advance(1_000);
    expect(ann.closed?.code).toBe(4408);
  });

  test("a socket too many of a namespace, or of a room, is refused", async () => {
    const { enter } = createChatter({ maxSockets: 2 });
    await enter("Ann");
    await enter("Ben");
    expect((await enter("Cleo")).inbox[1]).toBe('44{"message":"Too many connections"}');

    const { enter: enterRoom, server } = createChatter({ maxSocketsPerRoom: 1 });
    const ann = await enterRoom("Ann");
    expect((await enterRoom("Ben")).inbox[1]).toBe('44{"message":"Too many connections"}');
    expect(server().join(idOf(ann), "all")).toBe(true);
  });
});

describe("DISCONNECT", () => {
  test("by the client leaves the namespace, not the session", async () => {
    const { enter, told, server } = createChatter({ namespaces: ["/", "/custom"] });
    const ann = await enter("Ann");
    ann.send('40/custom,{"name":"Ann"}');
    await Promise.resolve();
    ann.send("41");
    expect(told).toContainEqual(["disconnect", "Ann", "client namespace disconnect"]);
    expect(ann.closed).toBe(undefined);
    expect(server().counts().sockets).toBe(0);
  });

  test("closes an empty session at once where the options say so", async () => {
    const { enter } = createChatter({ closeEmptySessions: true });
    const ann = await enter("Ann");
    ann.send("41");
    expect(ann.closed?.code).toBe(1000);
  });

  test("by the server: the client is told, with the session or without", async () => {
    const { rig, enter, told, server } = createChatter();
    const ann = await enter("Ann");
    const ben = await enter("Ben");
    const [annId, benId] = [idOf(ann), idOf(ben)];
    rig.evict();
    server().disconnect(annId);
    server().disconnect(benId, { close: true, closeCode: 4403 });
    expect([ann.inbox.at(-1), ben.inbox.at(-1)]).toEqual(["41", "41"]);
    expect([ann.closed?.code, ben.closed?.code]).toEqual([undefined, 4403]);
    expect(told.slice(2)).toEqual([
      ["disconnect", "Ann", "server namespace disconnect"],
      ["disconnect", "Ben", "server namespace disconnect"],
    ]);
  });

  test("the close code is the caller's also where a session without sockets is closed", async () => {
    const { enter, server } = createChatter({ closeEmptySessions: true });
    const ann = await enter("Ann");
    server().disconnect(idOf(ann), { close: true, closeCode: 4403 });
    expect([ann.inbox.at(-1), ann.closed?.code]).toEqual(["41", 4403]);
  });

  test("data can be changed, and is what later callbacks see", async () => {
    const { rig, enter, told, server } = createChatter();
    const ann = await enter("Ann");
    server().setData(idOf(ann), { name: "Anna" });
    rig.evict();
    ann.send('42["hello"]');
    expect(told.at(-1)).toEqual(["hello", "Anna"]);
  });

  test("closeAll tells everyone and leaves nothing; what comes then starts anew", async () => {
    const { rig, enter, told, server } = createChatter();
    const ann = await enter("Ann");
    server().closeAll();
    expect(ann.closed?.code).toBe(1000);
    expect(told.at(-1)).toEqual(["disconnect", "Ann", "forced server close"]);
    expect(rig.rows()).toEqual({});
    expect(server().emit({}, "x", [])).toBe(0);
    expect((await enter("Ben")).inbox[1]).toMatch(/^40/);
  });
});

test("closeAll tells a client between two polls with the next one, and stores nothing for it", async () => {
  const { rig, server } = createChatter();
  const sid = (JSON.parse((await (await rig.request("transport=polling")).text()).slice(1)) as { sid: string }).sid;
  const session = `transport=polling&sid=${sid}`;
  await rig.request(session, { method: "POST", body: '40{"name":"Ann"}' });
  await rig.settle();
  await rig.request(session);
  for (const { id } of server().sockets()) server().disconnect(id, { close: true });
  server().closeAll();
  expect(rig.rows()).toEqual({});
  expect(await (await rig.request(session, { method: "POST", body: "42[]" })).text()).toBe("ok");
  expect(await (await rig.request(session)).text()).toBe("41");
  expect(await (await rig.request(session)).text()).toBe("1");
  expect((await rig.request(session)).status).toBe(400);
});

test("whoever is sent away while others of the session say goodbye is told of once", async () => {
  const gone: string[] = [];
  const rig = createSocketRig<undefined>(
    (server) => ({
      authenticate: () => ({ ok: true, data: undefined }),
      onDisconnect({ id }) {
        gone.push(id);
        for (const other of server().sockets({ namespace: "/custom" })) server().disconnect(other.id);
      },
    }),
    { namespaces: ["/", "/custom"] },
  );
  const peer = await rig.connect();
  peer.send("40");
  peer.send("40/custom");
  await rig.settle();
  peer.drop();
  expect(gone).toHaveLength(2);
  expect(new Set(gone).size).toBe(2);
});

test("merely asking leaves no trace", () => {
  const { rig, server } = createChatter();
  expect(server().sockets()).toEqual([]);
  expect(server().counts()).toEqual({ sessions: 0, sockets: 0 });
  expect(server().emit({}, "x", [])).toBe(0);
  expect(server().alarm()).toBe(undefined);
  expect(rig.rows()).toEqual({});
});

test("a CONNECT that is still being checked when all is closed is dropped, and nothing is logged", async () => {
  const checking = Promise.withResolvers<void>();
  const { rig, server } = createChatter({}, async () => {
    await checking.promise;
    return { ok: true, data: { name: "Ann" } };
  });
  const peer = await rig.connect();
  peer.send("40");
  server().closeAll();
  checking.resolve();
  await rig.settle();
  expect(peer.closed?.code).toBe(1000);
  expect([rig.rows(), rig.logged]).toEqual([{}, []]);
});
