/** Messages to a person, and how long ended messages are kept. */
import { expect, test } from "vitest";
import { outboxInNode } from "../../test/support/registry/outbox-in-node.ts";
import type { AttemptResult, Sender } from "./sender.ts";

const DAY = 86_400_000;

function open(answer: (id: string) => AttemptResult, time?: number, isPaused = () => false) {
  const sender: Sender = {
    keeps: { delivered: 100, bodies: true, time },
    open: async () => (isPaused() ? "paused" : { send: async ({ message: { id } }) => answer(id) }),
  };
  return outboxInNode(sender);
}

const message = (id: string, body = "{}") => ({ id, topic: "test", body, ordered: false });
const delivered: AttemptResult = { kind: "delivered" };
const refused: AttemptResult = { kind: "refused", reason: "no" };

test("delivered and dead messages end after their time, even in a paused outbox, and waiting ones stay [RG-310, PH-156]", async () => {
  let paused = false;
  const box = open(
    (id) => (id === "dead" ? refused : delivered),
    30 * DAY,
    () => paused,
  );
  await box.core.enqueue([message("a"), message("dead")]);
  await box.ring();
  box.now += 10 * DAY;
  await box.core.enqueue([message("b")]);
  await box.ring();
  const ids = async () => (await box.core.deliveries({ limit: 10 })).map(({ id }) => id);
  expect(await ids()).toEqual(["b", "dead", "a"]);
  paused = true;
  await box.core.enqueue([message("waiting")]);
  await box.ring();
  expect(box.alarmAt).toBe(box.now + 20 * DAY);
  box.now += 20 * DAY;
  await box.ring();
  expect(await ids()).toEqual(["waiting", "b"]);
  expect(box.alarmAt).toBe(box.now + 10 * DAY);
  box.now += 10 * DAY;
  await box.ring();
  expect(await ids()).toEqual(["waiting"]);
  expect(box.alarmAt).toBeUndefined();
});

test("without a time, only their number is limited, and no alarm is set", async () => {
  const box = open(() => delivered);
  await box.core.enqueue([message("a")]);
  await box.ring();
  expect(box.alarmAt).toBeUndefined();
  box.now += 1_000 * DAY;
  await box.core.wake();
  await box.ring();
  expect(await box.core.deliveries({ limit: 10 })).toHaveLength(1);
});

test("messages to a person are listed and erased by the member `to`, and others stay [PH-151, PH-153]", async () => {
  const box = open(() => ({ kind: "failed", reason: "later" }));
  expect(await box.core.messagesTo("+1")).toEqual([]);
  expect(await box.core.forget("+1")).toBe(0);
  const to = (phone: string) => JSON.stringify({ to: phone, text: "hello" });
  await box.core.enqueue([
    message("a", to("+1")),
    message("b", to("+2")),
    message("c", "no JSON"),
    message("d", to("+1")),
  ]);
  await box.ring();
  expect(await box.core.messagesTo("+1")).toMatchObject([
    { state: "pending", body: to("+1") },
    { state: "pending", body: to("+1") },
  ]);
  expect(await box.core.forget("+1")).toBe(2);
  expect((await box.core.deliveries({ limit: 10 })).map(({ id }) => id)).toEqual(["c", "b"]);
});
