/** Stored messages of an oracle that is broken or hostile. */
import { expect, test } from "vitest";
import type { MessageRecord } from "../wire.ts";
import { shownRecords } from "./record-message.ts";

const record = (change: object = {}): object => ({ id: "1", type: "ai", content: "Hi", createdAt: "t", ...change });

test("a record that cannot be shown is left out, and one that repeats an id too [SD-36]", () => {
  const wrong = [
    null,
    "text",
    [],
    record({ id: 7 }),
    record({ content: { toString: "x" } }),
    record({ type: "constructor" }),
    record({ toolCalls: {} }),
    record({ toolCalls: [null] }),
  ];
  const right = [record(), record({ id: "__proto__", toolCalls: [{ id: "c", name: "toString", args: {} }] })];
  const shown = shownRecords([...wrong, ...right, record({ content: "again" })] as MessageRecord[]);
  expect(shown).toEqual(right);
});
