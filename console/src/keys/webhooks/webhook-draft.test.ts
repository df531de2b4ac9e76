/** Editing webhooks: the body of a save. */
import { expect, test } from "vitest";
import { bodyOf, changedOf, draftOf } from "./webhook-draft.ts";

test("a save sends only edited members [CN-205]", () => {
  const initial = { ...draftOf(undefined), url: "https://a.example/hook", description: "Field office" };
  const before = bodyOf(initial, false);
  const changed = (edit: Partial<typeof initial>) => changedOf(before, bodyOf({ ...initial, ...edit }, false));
  expect(changed({ description: " Field office " })).toEqual({});
  expect(changed({ url: "https://b.example/hook" })).toEqual({ url: "https://b.example/hook" });
  expect(changed({ description: "" })).toEqual({ description: null });
  expect(changed({ isEvery: false, actions: ["created"] })).toEqual({ actions: ["created"] });
});
