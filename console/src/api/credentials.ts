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

export interface CredentialStore {
  readonly read: () => Credentials;
  /** Sets the named ones; an empty text removes one. */
  readonly save: (changed: Credentials) => void;
  /** Sets these and removes all others. */
  readonly replace: (next: Credentials) => void;
  /** Changes with the API key. It stands for the key where a secret must not be, such as in the names of queries. */
  readonly keyNumber: () => number;
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
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export function openCredentialStore({ storage, now = Date.now }: CredentialStoreOptions): CredentialStore {
  const listeners = new Set<() => void>();
  let current = handedOver(storage.getItem(STORAGE_KEY), now());
  let keyNumber = 0;
  storage.removeItem(STORAGE_KEY);
  const replace = (next: Credentials): void => {
    const kept = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ""));
    if (kept["apiKey"] !== current.apiKey) keyNumber += 1;
    current = kept;
    for (const listener of listeners) listener();
  };
  return {
    read: () => current,
    save: (changed) => replace({ ...current, ...changed }),
    replace,
    keyNumber: () => keyNumber,
    handOver() {
      if (Object.keys(current).length === 0) return;
      const left: HandedOver = { leftAt: now(), keys: current };
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
}

function handedOver(text: string | null, now: number): Credentials {
  const { leftAt, keys } = membersOf(parsedJson(text ?? ""));
  const isFresh = typeof leftAt === "number" && leftAt <= now && now - leftAt <= HANDOVER;
  return isFresh ? membersOf(keys) : {};
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
