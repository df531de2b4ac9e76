/**
 * Authenticates callers of a chain profile before routing, so that a caller without a key learns nothing about existing
 * paths. Secrets are compared as digests, all of them each time, so that the time reveals nothing either.
 */
import { equalBytes, sha256 } from "../../../platform/digest.ts";
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { guessabilityOf, type CheckedCredential } from "../../../platform/http/attempt-limit.ts";
import { failure, success, type Result } from "../../../platform/result.ts";

export interface AccessKey {
  readonly label: string;
  /** With `basic`, it is `user:password`. */
  readonly secret: string;
  /** Paths that it opens, `*` for any text; all if absent. */
  readonly allow?: readonly string[];
}

export interface AuthSettings {
  readonly mode: "bearer" | "apiKey" | "basic";
  readonly keys: readonly AccessKey[];
  /** Paths without a key. */
  readonly open: readonly string[];
}

/** The key with which a request was accepted. */
interface AcceptedKey {
  readonly label: string;
  /** Position of the key in the configuration: while keys are rotated, two may have one label. */
  readonly key: number;
  readonly guessability: CheckedCredential;
}

interface AuthRefusal {
  readonly failure: Failure;
  /** The key is unknown. A key that is valid elsewhere does not count as a guess. */
  readonly isWrongKey: boolean;
}

/** `undefined` if no key was needed. */
export type Authenticate = (headers: Headers, path: string) => Promise<Result<AcceptedKey | undefined, AuthRefusal>>;

const challenges = {
  none: undefined,
  bearer: 'Bearer realm="gateway"',
  apiKey: 'ApiKey realm="gateway"',
  basic: 'Basic realm="gateway"',
};

/** `WWW-Authenticate` of a refusal. */
export function challengeOf(mode: AuthSettings["mode"] | "none"): string | undefined {
  return challenges[mode];
}

export function createAuthentication({ mode, keys, open }: AuthSettings): Authenticate {
  // Values, not promises: the promise of a cancelled request would never settle for other requests.
  let known: readonly (AccessKey & { readonly position: number; readonly digest: Uint8Array })[] | undefined;

  return async (headers, path) => {
    if (opensPath(open, path)) return success(undefined);
    const presented = credentialOf(headers, mode);
    if (presented === undefined) {
      return failure({ failure: newFailure("unauthenticated", "Authentication required"), isWrongKey: false });
    }
    known ??= await Promise.all(
      keys.map(async (key, position) => ({ ...key, position, digest: await sha256(key.secret) })),
    );
    const digest = await sha256(presented);
    const found = known.filter((key) => equalBytes(key.digest, digest));
    const fitting = found.find(({ allow }) => allow === undefined || opensPath(allow, path));
    if (fitting === undefined) {
      const refused = newFailure("forbidden", "These credentials do not give access to this path");
      return failure({ failure: refused, isWrongKey: found.length === 0 });
    }
    return success({ label: fitting.label, key: fitting.position, guessability: guessabilityOf(fitting.secret) });
  };
}

function credentialOf(headers: Headers, mode: AuthSettings["mode"]): string | undefined {
  if (mode === "apiKey") return headers.get("X-API-Key") ?? undefined;
  const [, scheme, value] = /^(\S+) +(\S+)\s*$/.exec(headers.get("Authorization") ?? "") ?? [];
  if (value === undefined || scheme?.toLowerCase() !== mode) return undefined;
  return mode === "bearer" ? value : decodeBasic(value);
}

function decodeBasic(value: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(value), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** Whether one of the patterns matches: a path, with `*` for any text. */
export function opensPath(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => matches(pattern, path));
}

/** Each text between two stars is searched once, left to right, without backtracking. */
function matches(pattern: string, path: string): boolean {
  const [start = "", ...rest] = pattern.split("*");
  const end = rest.pop();
  if (end === undefined) return path === start;
  if (!path.startsWith(start)) return false;
  let at = start.length;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - at >= end.length && path.endsWith(end);
}
