import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { disposeAfterTests } from "../../../test/support/server/dispose-after-tests.ts";
import { startFieldNetwork, type FieldNetwork, type FieldWallet } from "../../../test/support/peers/field-network.ts";
import { getOpenIdToken } from "./openid-token.ts";
import { keepToken, OPENID_MARGIN_MS, readToken } from "./kept-openid-token.ts";

let network: FieldNetwork;
const started = disposeAfterTests();

beforeAll(async () => {
  network = started(await startFieldNetwork());
});

class Store {
  readonly entries = new Map<string, string>();
  getItem(name: string) {
    return this.entries.get(name) ?? null;
  }
  setItem(name: string, value: string) {
    this.entries.set(name, value);
  }
  removeItem(name: string) {
    this.entries.delete(name);
  }
}

let store: Store;
beforeEach(() => {
  store = new Store();
  network.homeserver.openIdTokens.clear();
});
afterEach(() => {
  network.homeserver.failure = undefined;
  vi.useRealTimers();
});

function ask(wallet: FieldWallet, accessToken = wallet.matrix.accessToken) {
  return getOpenIdToken({
    userId: `@did-ixo-${wallet.address}:${wallet.matrix.homeServer}`,
    matrixAccessToken: accessToken,
    did: wallet.did,
    homeServerUrl: network.homeserver.url,
    storage: store,
  });
}

const minted = () => network.homeserver.openIdTokens.size;

test("a token is requested once while it is valid for more than five minutes, and returns its remaining time [SD-160]", async () => {
  const [ada, now] = [network.wallet(), Date.now()];
  const first = await ask(ada);
  expect(first).toEqual({
    access_token: [...network.homeserver.openIdTokens.keys()][0],
    token_type: "Bearer",
    matrix_server_name: "home.example",
    expires_in: 3600,
  });
  vi.useFakeTimers({ now: now + 1_000_000, toFake: ["Date"] });
  const second = await ask(ada);
  expect(second).toEqual({ ...first, expires_in: expect.any(Number) });
  expect(second.expires_in).toBeGreaterThanOrEqual(2599);
  expect(second.expires_in).toBeLessThanOrEqual(2600);
  vi.setSystemTime(now + 3_600_000 - OPENID_MARGIN_MS + 5_000);
  expect((await ask(ada)).access_token).not.toBe(first.access_token);
  expect(minted()).toBe(2);
});

test("the margin is five minutes to the millisecond [SD-160]", async () => {
  const owner = { did: "did:ixo:a", userId: "@a:home.example", accessToken: "secret" };
  const token = { access_token: "t", token_type: "Bearer", matrix_server_name: "home.example", expires_in: 600 };
  await keepToken(store, owner, token, 0);
  expect(await readToken(store, owner, 600_000 - OPENID_MARGIN_MS - 1)).toEqual({ ...token, expires_in: 300 });
  expect(await readToken(store, owner, 600_000 - OPENID_MARGIN_MS)).toBeUndefined();
  expect(store.entries.size).toBe(0);
});

test("the storage contains no token in clear text, and each user has a separate entry [SD-161]", async () => {
  const tokens = [await ask(network.wallet("ada")), await ask(network.wallet("bob"))];
  expect(tokens[0]?.access_token).not.toBe(tokens[1]?.access_token);
  expect([...store.entries.keys()]).toEqual(["twinedge-openid:did:ixo:ixo1ada", "twinedge-openid:did:ixo:ixo1bob"]);
  const kept = [...store.entries.values()].map((entry) => atob(entry)).join("\n");
  for (const secret of [...tokens.map(({ access_token }) => access_token), "syt_", "home.example"])
    expect(kept).not.toContain(secret);
  // Both tokens are from the cache, and each user gets their own.
  expect((await ask(network.wallet("bob"))).access_token).toBe(tokens[1]?.access_token);
  expect((await ask(network.wallet("ada"))).access_token).toBe(tokens[0]?.access_token);
  expect(minted()).toBe(2);
});

test("a user's entry cannot be decrypted for another user or with another access token [SD-161]", async () => {
  const owner = { did: "did:ixo:a", userId: "@a:home.example", accessToken: "secret" };
  const token = { access_token: "t", token_type: "Bearer", matrix_server_name: "home.example", expires_in: 3600 };
  await keepToken(store, owner, token, 0);
  const [entry = ""] = store.entries.values();
  store.setItem("twinedge-openid:did:ixo:b", entry);
  await expect(readToken(store, { ...owner, did: "did:ixo:b" }, 0)).rejects.toMatchObject({ name: "OperationError" });
  await expect(readToken(store, { ...owner, accessToken: "other" }, 0)).rejects.toMatchObject({
    name: "OperationError",
  });
  expect(store.entries.size).toBe(0);
});

test("an unreadable entry is replaced silently [SD-162]", async () => {
  const ada = network.wallet();
  for (const broken of ["", "%%%", btoa("short"), btoa("x".repeat(200))]) {
    store.setItem(`twinedge-openid:${ada.did}`, broken);
    expect((await ask(ada)).token_type).toBe("Bearer");
    expect(store.getItem(`twinedge-openid:${ada.did}`)).not.toBe(broken);
  }
  expect(minted()).toBe(4);
});

test("if the request fails too, the cache's error is the cause of its error [SD-162]", async () => {
  const ada = network.wallet();
  network.homeserver.failure = 500;
  const plain = await ask(ada).catch((error: unknown) => error as Error);
  expect(plain).toMatchObject({ name: "RequestError", status: 500 });
  expect(plain).not.toHaveProperty("cause");
  store.setItem(`twinedge-openid:${ada.did}`, "%%%");
  await expect(ask(ada)).rejects.toMatchObject({ status: 500, cause: { name: "InvalidCharacterError" } });
});

test("a storage that refuses writes costs only one request per call [SD-162]", async () => {
  const full = Object.assign(new Store(), {
    setItem() {
      throw new DOMException("full", "QuotaExceededError");
    },
  });
  store = full;
  expect((await ask(network.wallet())).expires_in).toBe(3600);
  expect((await ask(network.wallet())).expires_in).toBe(3600);
  expect(minted()).toBe(2);
});

test("a refusal names the server and the reason, and contains no token [SD-162]", async () => {
  const refused = await ask(network.wallet(), "syt_wrong").catch((error: unknown) => error as Error);
  expect(refused).toMatchObject({
    name: "RequestError",
    status: 401,
    code: "M_UNKNOWN_TOKEN",
    message: "The homeserver refused with 401: Unrecognised access token",
  });
  expect(String(refused)).not.toContain("syt_");
});
