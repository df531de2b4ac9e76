/** A page whose browser blocks site data still has a storage while it is open. */
import { expect, test } from "vitest";
import { isBlocked, openPageStorage, removeItems } from "./page-storage.ts";

test("if site data is blocked, items are in the page's memory [CN-237]", () => {
  const storage = openPageStorage(() => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  });
  expect(isBlocked(storage)).toBe(true);
  storage.setItem("own a", "1");
  storage.setItem("own b", "2");
  storage.setItem("other", "3");
  expect([storage.getItem("own a"), storage.getItem("missing"), storage.length]).toEqual(["1", null, 3]);
  removeItems(storage, (name) => name.startsWith("own "));
  expect([storage.getItem("own a"), storage.getItem("own b"), storage.getItem("other")]).toEqual([null, null, "3"]);
});
