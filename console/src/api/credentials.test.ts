/** Which key opens which path, and how a tab keeps its keys. */
import { expect, test } from "vitest";
import { credentialFor, openCredentialStore } from "./credentials.ts";

test.each([
  ["/v1/domains", "apiKey"],
  ["/v1/api-keys/current", "apiKey"],
  ["/v1/api-keys", "operatorToken"],
  ["/v1/api-keys/key_1/rotate", "operatorToken"],
  ["/graphql", "apiKey"],
  ["/1.0/identifiers/did:web:a.test", "apiKey"],
  ["/api/ussd/ops/stats", "phoneOperatorToken"],
  ["/api/ussd/debug/s1", "phoneOperatorToken"],
  ["/api/ussd", undefined],
  ["/sessions", undefined],
  ["/ixo/entity", undefined],
  ["/v1x", undefined],
])("%s is opened by %s", (path, name) => {
  expect(credentialFor(path)).toBe(name);
});

function memory() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
}

test("a reload finds the keys, an empty text removes one, and nothing stays after signing out", () => {
  const storage = memory();
  const store = openCredentialStore(storage);
  let changes = 0;
  const stop = store.subscribe(() => (changes += 1));
  store.save({ apiKey: "k", operatorToken: "o" });
  expect(openCredentialStore(storage).read()).toEqual({ apiKey: "k", operatorToken: "o" });
  store.save({ operatorToken: "" });
  expect(store.read()).toEqual({ apiKey: "k" });
  stop();
  store.clear();
  expect([store.read(), storage.kept.size, changes]).toEqual([{}, 0, 2]);
});

test("what somebody else wrote there is no key", () => {
  const storage = memory();
  storage.setItem("twinedge console credentials", "{");
  expect(openCredentialStore(storage).read()).toEqual({});
});
