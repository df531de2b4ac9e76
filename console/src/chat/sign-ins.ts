/** At which other services the user is signed in, and where they would. */
import { apiHooks } from "../api/api.ts";
import { hasSignIns, type KnownPlugins } from "./has-sign-ins.ts";
import { useOracleQuery } from "./use-oracle.ts";

export interface SignIn {
  readonly name: string;
  readonly signedIn: boolean;
  readonly issuer?: string;
  /** Where to sign in. */
  readonly url?: string;
}

const PATH = "/mcp/oauth";
/** Milliseconds: how soon a page shows that somebody has signed in. */
const ASKED_EVERY = 5_000;

/** Asked again and again: somebody may sign in elsewhere at any moment. */
export function useSignIns(isEnabled: boolean) {
  return useOracleQuery<{ readonly servers: readonly SignIn[] }>(PATH, isEnabled, ({ servers }) =>
    servers.some(({ signedIn }) => !signedIn) ? ASKED_EVERY : false,
  );
}

export function useHasSignIns(): boolean {
  const { data = false } = apiHooks.useQuery(
    "get",
    "/health",
    {},
    { select: ({ plugins }) => hasSignIns(plugins as KnownPlugins | undefined) },
  );
  return data;
}
