/** Signs in with entered keys, or with a development machine's. Each key is checked once before it is used. */
import { useEffect, useRef, useState } from "react";
import { hasStatus } from "../api/api-failure.ts";
import { authorizedFetch, credentials, queryClient } from "../api/api.ts";
import type { CredentialName, Credentials } from "../api/credentials.ts";
import type { SurfaceName } from "../api/page-settings.ts";
import { unsaved } from "../kit/leave-guard.tsx";
import { endSession } from "../session/sign-out.ts";
import { readCaller, useCaller } from "../session/use-caller.ts";
import { usePageSettings } from "./page-settings-context.ts";

export interface SigningIn {
  readonly isBusy: boolean;
  /** The keys of the last attempt that the server does not know. */
  readonly refused: readonly CheckedKey[];
  /** The other error of the last attempt. */
  readonly failure: unknown;
  /** What the user would lose by switching to another user's keys, as sentences; empty unless the user must confirm. */
  readonly losses: readonly string[];
  /** Resolves to whether the keys are now in use. Does nothing during another attempt. */
  readonly signIn: (find: () => Promise<Credentials>) => Promise<boolean>;
  /** Uses the keys that wait for the user's confirmation. */
  readonly confirm: () => void;
}

interface Attempt extends Pick<SigningIn, "isBusy" | "refused" | "failure" | "losses"> {
  readonly found: Credentials;
}

export function useSignIn(): SigningIn {
  const { surfaces } = usePageSettings();
  const { data: before } = useCaller();
  const [{ found: waiting, ...state }, setState] = useState<Attempt>(resting);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => void (isGone.current = true);
  }, []);

  const signIn: SigningIn["signIn"] = async (find) => {
    if (state.isBusy) return false;
    setState({ ...resting, isBusy: true });
    try {
      const found = await find();
      const { did, refused } = await check(found, surfaces);
      if (refused.length > 0) {
        setState({ ...resting, refused });
        return false;
      }
      // A user who has closed the dialog meanwhile does not want to be signed in.
      if (isGone.current) return false;
      const isSomebodyElse = endsSession(credentials.read(), found, did !== undefined && did !== before?.did);
      const losses = isSomebodyElse ? unsaved() : [];
      setState({ ...resting, losses, found });
      if (losses.length > 0) return false;
      if (isSomebodyElse) endSession(found);
      else await add(found);
      return true;
    } catch (failure) {
      setState({ ...resting, failure });
      return false;
    }
  };
  return { ...state, signIn, confirm: () => endSession(waiting) };
}

const resting: Attempt = { isBusy: false, refused: [], failure: undefined, losses: [], found: {} };

/**
 * Whether the keys may belong to another user than the tab's. Only an API key tells its user: in a tab that has tokens alone, an API
 * key or another token may be anybody's.
 */
function endsSession(held: Credentials, found: Credentials, isOtherUser: boolean): boolean {
  if (held.apiKey !== undefined) return found.apiKey !== undefined && isOtherUser;
  const tokens = ["operatorToken", "phoneOperatorToken"] as const;
  if (found.apiKey !== undefined) return tokens.some((name) => held[name] !== undefined);
  return tokens.some((name) => held[name] !== undefined && found[name] !== undefined && held[name] !== found[name]);
}

/** The same user has more keys, or newer ones: the input stays. */
async function add(found: Credentials): Promise<void> {
  credentials.save(found);
  queryClient.removeQueries({ type: "inactive" });
  await queryClient.invalidateQueries();
}

/** Rejects unless this page runs on the development machine itself. */
export async function developmentKeys(): Promise<Credentials> {
  const response = await authorizedFetch(`${location.origin}/console/development-sign-in`, { method: "POST" });
  return (await response.json()) as Credentials;
}

/** The keys that the server checks. */
export type CheckedKey = "apiKey" | (typeof tokenChecks)[number]["name"];

/** A path that each operator's token opens, and its surface. */
const tokenChecks = [
  { name: "operatorToken", surface: "registry", path: "/v1/api-keys?limit=1" },
  { name: "phoneOperatorToken", surface: "ussd", path: "/api/ussd/ops/stats" },
] as const satisfies readonly { readonly name: CredentialName; readonly surface: SurfaceName; readonly path: string }[];

interface Checked {
  /** The user that the API key represents. */
  readonly did: string | undefined;
  readonly refused: readonly CheckedKey[];
}

/** Rejects if the API key cannot be checked; another failure of a surface does not prevent the sign-in. */
async function check(found: Credentials, surfaces: readonly SurfaceName[]): Promise<Checked> {
  const refused: CheckedKey[] = [];
  const unlessRefused = async <Answer>(name: CheckedKey, ask: Promise<Answer>): Promise<Answer | undefined> => {
    try {
      return await ask;
    } catch (error) {
      if (hasStatus(error, 401)) refused.push(name);
      else if (name === "apiKey") throw error;
      return undefined;
    }
  };
  const bearing = (secret: string) => ({ headers: { Authorization: `Bearer ${secret}` } });
  const { apiKey } = found;
  const [caller] = await Promise.all([
    apiKey === undefined ? undefined : unlessRefused("apiKey", readCaller(bearing(apiKey))),
    ...tokenChecks.map(({ name, surface, path }) => {
      const token = found[name];
      if (token === undefined || !surfaces.includes(surface)) return undefined;
      return unlessRefused(name, authorizedFetch(`${location.origin}${path}`, bearing(token)));
    }),
  ]);
  return { did: caller?.did, refused };
}
