/** The data that remains on a device after a user signed out. */
import { expect, test } from "vitest";
import { memoryStore } from "../../../test/support/sdk/memory-store.ts";
import { createTokens } from "./tokens.ts";
import { clearUserData } from "./clear-user-data.ts";
import { createMemoryStore, sessionKey } from "./chat/queue-store.ts";

/** Like a browser's storage, with a list of its keys. */
function browserStore() {
  const { values, ...store } = memoryStore();
  return {
    ...store,
    get length() {
      return values.size;
    },
    key: (index: number) => [...values.keys()][index] ?? null,
  };
}

const signed = (serialized: string) => async () => ({ serialized, expiresAt: Date.now() + 900_000 });

test("after a sign-out no message and no token of the user is stored, and all of others is [SD-56]", async () => {
  const queue = createMemoryStore();
  const tokens = browserStore();
  const dids = ["did:key:a", "did:key:ab"];
  for (const userDid of dids) {
    const creators = { createDelegation: signed(`D ${userDid}`), createInvocation: signed(`I ${userDid}`) };
    await createTokens({ userDid, oracleDid: "did:o", creators: () => creators, store: tokens }).headers();
    tokens.setItem(`twinedge-openid:${userDid}`, "sealed");
    await queue.set(`${sessionKey(userDid, "did:o", "s")}m`, { message: "x" });
  }
  tokens.setItem("other", "kept");
  const names = () => Array.from({ length: tokens.length }, (_, index) => tokens.key(index));
  const before = names();
  await clearUserData("did:key:a", queue, tokens);
  const gone = [
    "twinedge delegation did:key:a did:o",
    "twinedge invocation did:key:a did:o",
    "twinedge-openid:did:key:a",
  ];
  expect(new Set(before.filter((name) => !names().includes(name)))).toEqual(new Set(gone));
  expect((await queue.keys()).length).toBe(1);
});
