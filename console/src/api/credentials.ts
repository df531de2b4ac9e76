/**
 * The keys that this tab uses, in the page's memory. A page that is left passes them to the tab's next page in sessionStorage,
 * which that page empties at once: a reload keeps the keys, and a tab that is reopened later does not. They are never in a URL, a
 * log or localStorage.
 */
import { membersOf, parsedJson } from "../../../shared/json-members.ts";
import type { PageStorage } from "./page-storage.ts";

export interface Credentials {
  /** A key of the registry. */
  readonly apiKey?: string;
  /** The operator's token (`ADMIN_TOKEN`), which issues API keys. */
  readonly operatorToken?: string;
  /** The phone operator's token (`USSD_OPERATOR_TOKEN`). */
  readonly phoneOperatorToken?: string;
  /** Opens a protected chain profile of the query gateway: a key, a token, or `user:password`. */
  readonly gatewaySecret?: string;
}

export type CredentialName = keyof Credentials;

/** `refused`: the key was revoked or replaced, or its end is unknown. */
export type KeyEnd = "expired" | "refused";

export interface CredentialStore {
  readonly read: () => Credentials;
  /** Sets these keys; an empty text removes one. */
  readonly save: (changed: Credentials) => void;
  /** Sets these keys and removes all others. */
  readonly replace: (next: Credentials) => void;
  /** Changes with the API key. It represents the key where a secret must not appear, such as in query keys. */
  readonly keyNumber: () => number;
  /** Why this tab's API key no longer works; undefined while it is accepted, and for a tab without one. */
  readonly keyEnd: () => KeyEnd | undefined;
  /** The registry has refused this API key, so it is not sent again. */
  readonly refuseKey: (apiKey: string) => void;
  /** Records when the API key ends, so that its refusal can be explained. */
  readonly noteKeyExpiry: (expiresAt: string | null) => void;
  /** Whether an earlier page of this tab was signed in and its keys did not reach this one. */
  readonly hasLostKeys: () => boolean;
  /** Writes the keys for the next page of this tab. */
  readonly handOver: () => void;
  /** Undoes the handover if the page was not left after all. */
  readonly takeBack: () => void;
  /** Calls back after each change; the returned function unsubscribes. */
  readonly subscribe: (changed: () => void) => () => void;
}

const STORAGE_KEY = "twinedge console credentials";
/** Maximum milliseconds between a page and the tab's next one: a reload over a slow connection. */
export const HANDOVER = 20_000;

export interface CredentialStoreOptions {
  readonly storage: Pick<PageStorage, "getItem" | "setItem" | "removeItem">;
  /** Keeps one short text over a reload when the storage keeps nothing: `window`, by its name. */
  readonly tab?: { name: string };
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** The name of a signed-in tab. */
const SIGNED_IN = "twinedge console: signed in";

export function openCredentialStore(options: CredentialStoreOptions): CredentialStore {
  const { storage, tab = { name: "" }, now = Date.now } = options;
  const listeners = new Set<() => void>();
  const given = handedOver(storage.getItem(STORAGE_KEY), now());
  let current = given.keys;
  let keyExpiry = given.keyExpiry;
  let isRefused = false;
  let keyNumber = 0;
  let hasLostKeys = tab.name === SIGNED_IN && isEmpty(current);
  storage.removeItem(STORAGE_KEY);
  const nameTab = (): void => {
    if (!isEmpty(current)) tab.name = SIGNED_IN;
    else if (tab.name === SIGNED_IN) tab.name = "";
  };
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const replace = (next: Credentials): void => {
    const kept = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ""));
    if (kept["apiKey"] !== current.apiKey) {
      keyNumber += 1;
      keyExpiry = null;
      isRefused = false;
    }
    current = kept;
    hasLostKeys = false;
    nameTab();
    tell();
  };
  nameTab();
  return {
    read: () => current,
    save: (changed) => replace({ ...current, ...changed }),
    replace,
    keyNumber: () => keyNumber,
    keyEnd() {
      if (!isRefused) return undefined;
      return keyExpiry !== null && Date.parse(keyExpiry) <= now() ? "expired" : "refused";
    },
    refuseKey(apiKey) {
      if (isRefused || apiKey !== current.apiKey) return;
      isRefused = true;
      tell();
    },
    noteKeyExpiry(expiresAt) {
      keyExpiry = expiresAt;
    },
    hasLostKeys: () => hasLostKeys,
    handOver() {
      if (isEmpty(current)) return;
      const left: HandedOver = { leftAt: now(), keys: current, keyExpiry };
      try {
        storage.setItem(STORAGE_KEY, JSON.stringify(left));
      } catch {
        // If the storage has no room, no keys are kept, and the next page asks for them.
      }
    },
    takeBack: () => storage.removeItem(STORAGE_KEY),
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

interface HandedOver {
  /** Milliseconds since 1970. */
  readonly leftAt: number;
  readonly keys: Credentials;
  /** When the API key ends: ISO 8601, or null if it does not end or its end is unknown. */
  readonly keyExpiry: string | null;
}

function handedOver(text: string | null, now: number): Pick<HandedOver, "keys" | "keyExpiry"> {
  const { leftAt, keys, keyExpiry } = membersOf(parsedJson(text ?? ""));
  const isFresh = typeof leftAt === "number" && leftAt <= now && now - leftAt <= HANDOVER;
  if (!isFresh) return { keys: {}, keyExpiry: null };
  return { keys: membersOf(keys), keyExpiry: typeof keyExpiry === "string" ? keyExpiry : null };
}

function isEmpty(keys: Credentials): boolean {
  return Object.keys(keys).length === 0;
}

const operatorPaths = /^\/v1\/api-keys(?!\/current$)(\/|$)/;
const phoneOperatorPaths = /^\/api\/ussd\/(sessions|debug|ops)(\/|$)/;
const registryPaths = /^\/(v1|graphql|1\.0\/identifiers)(\/|$)/;

/** Which key a path requires; undefined for public paths. */
export function credentialFor(path: string): CredentialName | undefined {
  if (operatorPaths.test(path)) return "operatorToken";
  if (phoneOperatorPaths.test(path)) return "phoneOperatorToken";
  return registryPaths.test(path) ? "apiKey" : undefined;
}
