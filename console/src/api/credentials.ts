/**
 * The keys that this tab uses. They live in the page's memory. A page that is left hands them to the next page of its tab in
 * sessionStorage, which that page empties at once, so that a reload keeps them and a tab that is opened again later does not have
 * them. They are never in a URL, a log or localStorage.
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
  /** What opens a protected deployment of the query gateway: a key, a token, or `user:password`. */
  readonly gatewaySecret?: string;
}

export type CredentialName = keyof Credentials;

/** `refused`: the key was revoked, replaced, or its end is not known. */
export type KeyEnd = "expired" | "refused";

export interface CredentialStore {
  readonly read: () => Credentials;
  /** Sets the named ones; an empty text removes one. */
  readonly save: (changed: Credentials) => void;
  /** Sets these and removes all others. */
  readonly replace: (next: Credentials) => void;
  /** Changes with the API key. It stands for the key where a secret must not be, such as in the names of queries. */
  readonly keyNumber: () => number;
  /** Why the API key of this tab opens nothing more; undefined while it is accepted, and for a tab without one. */
  readonly keyEnd: () => KeyEnd | undefined;
  /** The registry has refused this API key: nothing more is sent with it. */
  readonly refuseKey: (apiKey: string) => void;
  /** Notes when the API key ends, so that its refusal is explained. */
  readonly noteKeyExpiry: (expiresAt: string | null) => void;
  /** Whether an earlier page of this tab was signed in and its keys did not reach this one. */
  readonly hasLostKeys: () => boolean;
  /** Writes the keys for the next page of this tab. */
  readonly handOver: () => void;
  /** Takes that back, when the page was not left after all. */
  readonly takeBack: () => void;
  /** Calls back after each change; returns what ends that. */
  readonly subscribe: (changed: () => void) => () => void;
}

const STORAGE_KEY = "twinedge console credentials";
/** Milliseconds between a page and the next one of its tab: a reload over a slow line. */
export const HANDOVER = 20_000;

export interface CredentialStoreOptions {
  readonly storage: Pick<PageStorage, "getItem" | "setItem" | "removeItem">;
  /** Keeps one short text over a reload where the storage keeps nothing: `window`, by its name. */
  readonly tab?: { name: string };
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** The name of a tab that is signed in. */
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
        // A storage without room keeps no keys, so the next page asks for them.
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
  /** When the API key ends: ISO 8601, or null for one that does not, or whose end is not known. */
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

/** Which of the keys opens a path; undefined for paths that need none. */
export function credentialFor(path: string): CredentialName | undefined {
  if (operatorPaths.test(path)) return "operatorToken";
  if (phoneOperatorPaths.test(path)) return "phoneOperatorToken";
  return registryPaths.test(path) ? "apiKey" : undefined;
}
