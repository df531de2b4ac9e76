/** The services where the user is signed in, and the sign-in addresses of the others. */
import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "../api/use-health.ts";
import { hasSignIns } from "./has-sign-ins.ts";
import { useOracleQuery } from "./use-oracle.ts";

export interface SignIn {
  readonly name: string;
  readonly signedIn: boolean;
  readonly issuer?: string;
  /** Where to sign in. */
  readonly url?: string;
}

const PATH = "/mcp/oauth";
/** Milliseconds: how soon the page shows a sign-in. */
const ASKED_EVERY = 5_000;

/** Polled: the user may sign in elsewhere at any moment. */
export function useSignIns(isEnabled: boolean) {
  return useOracleQuery<{ readonly servers: readonly SignIn[] }>(PATH, isEnabled, ({ servers }) =>
    servers.some(({ signedIn }) => !signedIn) ? ASKED_EVERY : false,
  );
}

export function useHasSignIns(): boolean {
  const { data = false } = useQuery({ ...healthQuery, select: ({ plugins }) => hasSignIns(plugins) });
  return data;
}
