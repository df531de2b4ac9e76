import { expect, test } from "vitest";
import { invalidTurn, METADATA_DEPTH, TURN_BYTES, type TurnStart } from "./turns.ts";

const fits: TurnStart = {
  did: "did:key:z6MkUser",
  session: "team/channel/1",
  title: "Questions",
  message: "hello",
  messageId: "m1",
  client: "slack",
};

function nested(levels: number): TurnStart["metadata"] {
  let value: object = {};
  for (let level = 1; level < levels; level += 1) value = { inner: value };
  return value as TurnStart["metadata"];
}

test.each<[string, Partial<TurnStart>, Partial<TurnStart>]>([
  ["did", { did: "did:ixo:ixo1abc" }, { did: "ada" }],
  ["session", { session: "s".repeat(512) }, { session: "s".repeat(513) }],
  ["session", { session: "s" }, { session: "" }],
  ["title", { title: "t".repeat(200) }, { title: "t".repeat(201) }],
  ["title", { title: "t" }, { title: "" }],
  ["messageId", { messageId: "m".repeat(200) }, { messageId: "m".repeat(201) }],
  ["messageId", { messageId: "m" }, { messageId: "" }],
  ["client", { client: "c".repeat(32) }, { client: "c".repeat(33) }],
  ["client", { client: "my-chat-2" }, { client: "MyChat" }],
  ["client", { client: "c" }, { client: "" }],
  ["answerStyle", { answerStyle: "a".repeat(500) }, { answerStyle: "a".repeat(501) }],
  ["message", { message: "h" }, { message: " \n" }],
  ["message", { message: "m".repeat(TURN_BYTES - '["",{}]'.length) }, { message: "m".repeat(TURN_BYTES - 6) }],
  ["metadata", { metadata: nested(METADATA_DEPTH) }, { metadata: nested(METADATA_DEPTH + 1) }],
])("%s has its limit [OR-273]", (member, within, beyond) => {
  expect(invalidTurn({ ...fits, ...within })).toBeUndefined();
  expect(invalidTurn({ ...fits, ...beyond })).toContain(member);
});

test("the maximum turn size equals the maximum message size over HTTP [OR-273]", () => {
  expect(TURN_BYTES).toBe(262_144);
});
