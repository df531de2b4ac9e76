/** Which key opens which path, and how a tab keeps its keys. */
import { expect, test } from "vitest";
import { credentialFor, HANDOVER, openCredentialStore } from "./credentials.ts";

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

test("the next page of the tab finds the keys, and storage has them only in between [CN-30]", () => {
  const storage = memory();
  const store = openCredentialStore({ storage });
  let changes = 0;
  const stop = store.subscribe(() => (changes += 1));
  store.save({ apiKey: "k", operatorToken: "o" });
  expect(storage.kept.size).toBe(0);
  store.handOver();
  const next = openCredentialStore({ storage });
  expect([next.read(), storage.kept.size]).toEqual([{ apiKey: "k", operatorToken: "o" }, 0]);
  store.handOver();
  store.takeBack();
  store.save({ operatorToken: "" });
  expect([store.read(), storage.kept.size]).toEqual([{ apiKey: "k" }, 0]);
  store.replace({ phoneOperatorToken: "p" });
  expect(store.read()).toEqual({ phoneOperatorToken: "p" });
  stop();
  store.replace({});
  store.handOver();
  expect([store.read(), storage.kept.size, changes]).toEqual([{}, 0, 3]);
});

test.each([
  [0, true],
  [HANDOVER, true],
  [HANDOVER + 1, false],
  [-1, false],
])("a page that opens %i ms after the previous one was left has its keys: %s [CN-30]", (passed, hasThem) => {
  const storage = memory();
  const store = openCredentialStore({ storage, now: () => 1_000_000 });
  store.save({ apiKey: "k" });
  store.handOver();
  const next = openCredentialStore({ storage, now: () => 1_000_000 + passed });
  expect([next.read(), storage.kept.size]).toEqual([hasThem ? { apiKey: "k" } : {}, 0]);
});

test("the key number changes only with the API key [CN-236]", () => {
  const store = openCredentialStore({ storage: memory() });
  const numbers = [store.keyNumber()];
  for (const changed of [{ apiKey: "a" }, { operatorToken: "o" }, { apiKey: "a" }, { apiKey: "b" }, { apiKey: "" }]) {
    store.save(changed);
    numbers.push(store.keyNumber());
  }
  expect(numbers).toEqual([0, 1, 1, 1, 2, 3]);
});

test("a refused key has expired if its end has passed, even on the next page; another key has not [CN-300]", () => {
  const storage = memory();
  const store = openCredentialStore({ storage, now: () => Date.parse("2026-11-24T12:00:00Z") });
  store.save({ apiKey: "a" });
  expect(store.keyEnd()).toBeUndefined();
  store.refuseKey("another");
  expect(store.keyEnd()).toBeUndefined();
  store.noteKeyExpiry("2026-11-24T11:59:59Z");
  store.refuseKey("a");
  expect(store.keyEnd()).toBe("expired");
  store.handOver();
  const next = openCredentialStore({ storage, now: () => Date.parse("2026-11-24T12:00:01Z") });
  expect(next.keyEnd()).toBeUndefined();
  next.refuseKey("a");
  expect(next.keyEnd()).toBe("expired");
  next.save({ operatorToken: "o" });
  expect(next.keyEnd()).toBe("expired");
  next.save({ apiKey: "b" });
  expect(next.keyEnd()).toBeUndefined();
  next.refuseKey("b");
  expect(next.keyEnd()).toBe("refused");
});

test("a tab knows that its keys did not reach this page, until the user signs in or out [CN-237]", () => {
  const tab = { name: "" };
  const storage = memory();
  expect(openCredentialStore({ storage, tab }).hasLostKeys()).toBe(false);
  openCredentialStore({ storage, tab }).save({ apiKey: "a" });
  const next = openCredentialStore({ storage, tab });
  expect(next.hasLostKeys()).toBe(true);
  next.save({ apiKey: "a" });
  expect(next.hasLostKeys()).toBe(false);
  next.handOver();
  const kept = openCredentialStore({ storage, tab });
  expect(kept.hasLostKeys()).toBe(false);
  kept.replace({});
  expect([openCredentialStore({ storage, tab }).hasLostKeys(), tab.name]).toEqual([false, ""]);
  const named = { name: "a window that another page has named" };
  openCredentialStore({ storage, tab: named });
  expect(named.name).toBe("a window that another page has named");
});

test("foreign data in the storage is not a key", () => {
  const storage = memory();
  for (const text of ["{", "[]", '{"apiKey":"k"}', '{"leftAt":"now","keys":{"apiKey":"k"}}']) {
    storage.setItem("twinedge console credentials", text);
    expect(openCredentialStore({ storage }).read()).toEqual({});
  }
});
