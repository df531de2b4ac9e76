import { expect, test } from "vitest";
import type { PageStorage } from "../api/page-storage.ts";
import { openDraftStore, placeOf } from "./draft-store.ts";

/** Stores only a few characters per name. */
function smallStorage(room: number): PageStorage {
  return Object.defineProperties({} as Record<string, string> & Storage, {
    key: {
      value(this: Record<string, string>, at: number) {
        return Object.keys(this)[at] ?? null;
      },
    },
    length: {
      get(this: Record<string, string>) {
        return Object.keys(this).length;
      },
    },
    getItem: {
      value(this: Record<string, string>, name: string) {
        return this[name] ?? null;
      },
    },
    removeItem: {
      value(this: Record<string, string>, name: string) {
        delete this[name];
      },
    },
    setItem: {
      value(this: Record<string, string>, name: string, text: string) {
        if (text.length > room) throw new DOMException("full", "QuotaExceededError");
        this[name] = text;
      },
    },
  });
}

test("a draft is stored by identity and conversation until it is empty or the identity changes [CN-146]", () => {
  const storage = smallStorage(20);
  const drafts = openDraftStore(storage);
  let changes = 0;
  const end = drafts.subscribe(() => (changes += 1));
  drafts.keep("did:a", "1", "one");
  drafts.keep("did:a", "2", "two");
  drafts.keep("did:ab", "1", "another's");
  expect(changes).toBe(3);
  end();
  expect(openDraftStore(storage).read("did:a", "1")).toBe("one");
  drafts.keep("did:a", "1", "");
  expect(drafts.read("did:a", "1")).toBe("");
  drafts.keepOnly("did:a");
  expect([drafts.read("did:a", "2"), drafts.read("did:ab", "1")]).toEqual(["two", ""]);
  drafts.keepOnly("did:c");
  expect(Object.keys(storage)).toEqual([]);
});

test("deleting a conversation deletes only its draft and the drafts of its questions [CN-146]", () => {
  const drafts = openDraftStore(smallStorage(20));
  const places = ["1", placeOf("1", "a"), "12", placeOf("12", "a")];
  for (const place of places) drafts.keep("did:a", place, "text");
  drafts.forget("did:a", "1");
  expect(places.map((place) => drafts.read("did:a", place))).toEqual(["", "", "text", "text"]);
});

test("a draft that does not fit the storage lasts as long as the page [CN-146]", () => {
  const storage = smallStorage(5);
  const drafts = openDraftStore(storage);
  drafts.keep("did:a", "1", "short");
  drafts.keep("did:a", "1", "much longer");
  expect(drafts.read("did:a", "1")).toBe("much longer");
  drafts.keep("did:a", "1", "less");
  expect([drafts.read("did:a", "1"), openDraftStore(storage).read("did:a", "1")]).toEqual(["less", "less"]);
});
