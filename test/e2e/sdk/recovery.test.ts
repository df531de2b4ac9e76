/** Real-world failures of a page in a real browser (test/browser/recovery.tsx): no network, wrong tools, a storage that refuses. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSigner } from "../../../sdk/src/core/signer.ts";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startSdkPages, type SdkPages } from "../../support/sdk/sdk-pages.ts";

/** `window.recovery` of the page. */
interface Recovery {
  readonly chat: { readonly error: Error | null; sendMessage(message: string): Promise<void> };
  readonly sessions: { createSession(): Promise<{ readonly sessionId: string }>; refetch(): Promise<unknown> };
  readonly cards: number;
  setToolName(name: string): void;
  signedIn(): Promise<string>;
  openStore(): {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<unknown>;
    delete(key: string): Promise<void>;
    keys(): Promise<readonly string[]>;
  };
}
declare const window: { readonly recovery: Recovery };

describe.runIf(hasBrowser)("a page in the field", () => {
  let pages: SdkPages;
  beforeAll(async () => {
    pages = await startSdkPages();
  });
  afterAll(() => pages.close());

  async function opened() {
    const user = await pages.signUp();
    const sessionId = await user.newSession();
    return { user, ...(await pages.open("recovery", user, { settings: { sessionId } })) };
  }
  const shows = (page: Page, selector: string, text: string | RegExp) =>
    page.locator(selector).filter({ hasText: text }).first().waitFor();
  const says = (page: Page, message: string) =>
    page.evaluate(
      (text) =>
        window.recovery.chat.sendMessage(text).then(
          () => "sent",
          (error: unknown) => (error as Error).message,
        ),
      message,
    );
  const createSession = (page: Page) =>
    page.evaluate(() =>
      window.recovery.sessions.createSession().then(
        () => "created",
        (error: unknown) => (error as Error).name,
      ),
    );

  test("without a network, creating a session fails at once with a message; with one, it succeeds, and the list recovers [SD-279]", async () => {
    const { page, setOffline } = await opened();
    await shows(page, "aside", "1 fine");
    await setOffline(true);
    expect(await createSession(page)).toBe("OfflineError");
    await page.evaluate(() => window.recovery.sessions.refetch());
    await shows(page, "aside", "OfflineError");
    await setOffline(false);
    expect(await createSession(page)).toBe("created");
    await shows(page, "aside", "2 fine");
  });

  test("a tool with a wrong name leaves the page working, is named in `error`, and holds messages back until it is corrected [SD-281]", async () => {
    const { page, faults } = await opened();
    await shows(page, "main [role=status]", "ready connected");
    await page.evaluate(() => window.recovery.setToolName("page word"));
    const fault = 'The browser tool "page word" needs a name of 1 to 64 letters, digits, _ and -.';
    await shows(page, "[role=alert]", fault);
    expect(await says(page, "hello")).toBe(fault);
    expect(faults).toEqual([fault]);
    await page.evaluate(() => window.recovery.setToolName("page_word"));
    await expect.poll(() => page.locator("[role=alert]").textContent()).toBe("");
    expect(await says(page, "hello")).toBe("sent");
    await shows(page, "main", "You said: hello");
  });

  test("the card of an action with an unchanged `render` is not drawn again while a reply streams [SD-291]", async () => {
    const { page, faults } = await opened();
    await shows(page, "main [role=status]", "ready connected");
    expect(await says(page, '/tool show_table {"rows":["a","b"]}')).toBe("sent");
    await shows(page, "caption", "a,b");
    // The stored record of the turn replaces its stream.
    await shows(page, "main [role=status]", "ready");
    await says(page, "hello");
    const before = await page.evaluate(() => window.recovery.cards);
    expect(before).toBeGreaterThan(0);
    await says(page, "/slow 50 10");
    expect(await page.evaluate(() => window.recovery.cards)).toBe(before);
    expect(faults).toEqual([]);
  });

  describe("the key of createSigner [SD-292]", () => {
    const kept = (page: Page) =>
      page.evaluate(async () => {
        const storage = globalThis as unknown as {
          readonly localStorage: { getItem(name: string): string | null };
          readonly indexedDB: { databases(): Promise<readonly { readonly name: string }[]> };
        };
        const names = (await storage.indexedDB.databases()).map(({ name }) => name);
        return { hasKey: names.includes("twinedge signer"), seed: storage.localStorage.getItem("twinedge signer") };
      });
    const signedIn = (page: Page) => page.evaluate(() => window.recovery.signedIn());

    test("cannot be read by any script, and is shared by all tabs and visits", async () => {
      const user = await pages.signUp();
      const { page } = await pages.open("recovery", user);
      const dids = await page.evaluate(() => Promise.all([window.recovery.signedIn(), window.recovery.signedIn()]));
      expect(new Set(dids).size).toBe(1);
      expect(await kept(page)).toEqual({ hasKey: true, seed: null });
      const other = await pages.open("recovery", user, { context: page.context() });
      expect(await signedIn(other.page)).toBe(dids[0]);
      const isExtractable = await page.evaluate(
        () =>
          new Promise((resolve) => {
            const { indexedDB } = globalThis as unknown as { readonly indexedDB: IndexedDatabases };
            const opening = indexedDB.open("twinedge signer");
            opening.onsuccess = () => {
              const reading = opening.result.transaction("key").objectStore("key").get("key");
              reading.onsuccess = () => resolve(reading.result.privateKey.extractable);
            };
          }),
      );
      expect(isExtractable).toBe(false);
    });

    test("is the seed of earlier versions if there is one", async () => {
      const { page } = await pages.open("recovery", await pages.signUp());
      const seed = "07".repeat(32);
      await page.evaluate((seed) => {
        const { localStorage } = globalThis as unknown as {
          readonly localStorage: { setItem(name: string, value: string): void };
        };
        localStorage.setItem("twinedge signer", seed);
      }, seed);
      const { did } = await createSigner({ seed: new Uint8Array(32).fill(7) });
      expect([await signedIn(page), await signedIn(page)]).toEqual([did, did]);
      expect((await kept(page)).seed).toBe(seed);
    });

    test.each(["Ed25519", "IndexedDB"])("is a seed in a browser without %s", async (missing) => {
      const { page } = await pages.open("recovery", await pages.signUp());
      await page.addInitScript((missing) => {
        const { crypto } = globalThis as unknown as {
          readonly crypto: { subtle: { generateKey: () => Promise<never> } };
        };
        if (missing === "Ed25519")
          crypto.subtle.generateKey = () => Promise.reject(new DOMException("", "NotSupportedError"));
        else Object.defineProperty(globalThis, "indexedDB", { value: undefined });
      }, missing);
      await page.reload();
      const did = await signedIn(page);
      await page.reload();
      expect(await signedIn(page)).toBe(did);
    });
  });

  describe("the queue's store [SD-282]", () => {
    test("keeps in memory what IndexedDB refuses, and everything else in IndexedDB", async () => {
      const { page } = await pages.open("recovery", await pages.signUp());
      const found = await page.evaluate(async () => {
        const { IDBObjectStore } = globalThis as unknown as { readonly IDBObjectStore: { prototype: Refusable } };
        const { put } = IDBObjectStore.prototype;
        const store = window.recovery.openStore();
        const refuse = (isFull: boolean): void => {
          IDBObjectStore.prototype.put = isFull
            ? () => {
                throw new DOMException("The disk is full.", "QuotaExceededError");
              }
            : put;
        };
        const results = [await store.set("a", 1)];
        refuse(true);
        results.push(await store.set("b", 2));
        const whileFull = [await store.get("a"), await store.get("b"), (await store.keys()).toSorted()];
        await store.delete("a");
        refuse(false);
        results.push(await store.set("c", 3), await store.set("b", 4));
        return { results, whileFull };
      });
      expect(found).toEqual({ results: [true, false, true, true], whileFull: [1, 2, ["a", "b"]] });
      await page.reload();
      const kept = await page.evaluate(async () => {
        const store = window.recovery.openStore();
        return [(await store.keys()).toSorted(), await store.get("b")];
      });
      expect(kept).toEqual([["b", "c"], 4]);
    });

    test("reopens a database whose connection the browser has closed, and deletes later what it cannot delete now", async () => {
      const { page } = await pages.open("recovery", await pages.signUp());
      const found = await page.evaluate(async () => {
        const { IDBDatabase, IDBObjectStore } = globalThis as unknown as {
          readonly IDBDatabase: { prototype: { transaction: (...words: unknown[]) => unknown; close(): void } };
          readonly IDBObjectStore: { prototype: Refusable };
        };
        const store = window.recovery.openStore();
        await store.set("a", 1);
        const { transaction } = IDBDatabase.prototype;
        // As browsers do with a frozen page: the first use finds a closed connection.
        IDBDatabase.prototype.transaction = function (this: { close(): void }, ...words: unknown[]) {
          IDBDatabase.prototype.transaction = transaction;
          this.close();
          return transaction.call(this, ...words);
        };
        const results: unknown[] = [await store.set("b", 2)];
        const { delete: remove } = IDBObjectStore.prototype;
        IDBObjectStore.prototype.delete = () => {
          throw new DOMException("The connection is lost.", "InvalidStateError");
        };
        results.push(await store.delete("a").catch((error: unknown) => (error as Error).name), await store.keys());
        IDBObjectStore.prototype.delete = remove;
        results.push(await store.keys());
        return results;
      });
      expect(found).toEqual([true, "InvalidStateError", ["b"], ["b"]]);
      await page.reload();
      expect(await page.evaluate(() => window.recovery.openStore().keys())).toEqual(["b"]);
    });
  });
});

interface Refusable {
  put: (...words: never[]) => unknown;
  delete: (...words: never[]) => unknown;
}

interface IndexedDatabases {
  open(name: string): {
    onsuccess: () => void;
    readonly result: {
      transaction(name: string): {
        objectStore(name: string): {
          get(key: string): {
            onsuccess: () => void;
            readonly result: { readonly privateKey: { readonly extractable: boolean } };
          };
        };
      };
    };
  };
}
