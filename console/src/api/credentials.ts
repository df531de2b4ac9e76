/**
 * The keys that this tab uses. They live in sessionStorage: they survive a reload, belong to one tab, and end with it. They
 * are never in a URL, a log or localStorage.
 */
import { membersOf, parsedJson } from "./json.ts";

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
  readonly clear: () => void;
  /** Calls back after each change; returns what ends that. */
  readonly subscribe: (changed: () => void) => () => void;
}

const STORAGE_KEY = "twinedge console credentials";

export function openCredentialStore(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">): CredentialStore {
  const listeners = new Set<() => void>();
  let current = parse(storage.getItem(STORAGE_KEY));
  const replace = (next: Credentials): void => {
    current = next;
    if (Object.keys(next).length === 0) storage.removeItem(STORAGE_KEY);
    else storage.setItem(STORAGE_KEY, JSON.stringify(next));
    for (const listener of listeners) listener();
  };
  return {
    read: () => current,
    save: (changed) =>
      replace(Object.fromEntries(Object.entries({ ...current, ...changed }).filter(([, value]) => value !== ""))),
    clear: () => replace({}),
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

function parse(text: string | null): Credentials {
  return membersOf(parsedJson(text ?? ""));
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
