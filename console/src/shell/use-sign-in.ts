/** Signing in with keys that somebody enters, or with those of a development machine. An API key is checked before it counts. */
import { useEffect, useRef, useState } from "react";
import { api, authorizedFetch, credentials, queryClient } from "../api/api.ts";
import { hasStatus } from "../api/api-failure.ts";
import type { Credentials } from "../api/credentials.ts";

export interface SigningIn {
  readonly isBusy: boolean;
  /** Whether the registry does not know the API key of the last attempt. */
  readonly isRefused: boolean;
  /** What else went wrong in the last attempt. */
  readonly failure: unknown;
  /** Resolves to whether the keys that were found count now. Does nothing while another attempt runs. */
  readonly signIn: (find: () => Promise<Credentials>) => Promise<boolean>;
}

export function useSignIn(): SigningIn {
  const [state, setState] = useState<Omit<SigningIn, "signIn">>(resting);
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
      await checkApiKey(found);
      // Somebody who has closed the dialog meanwhile does not want to be signed in.
      if (isGone.current) return false;
      setState(resting);
      credentials.save(found);
      // What was read with another key must not be shown again.
      queryClient.removeQueries({ type: "inactive" });
      await queryClient.invalidateQueries();
      return true;
    } catch (error) {
      const isRefused = hasStatus(error, 401);
      setState({ isBusy: false, isRefused, failure: isRefused ? undefined : error });
      return false;
    }
  };
  return { ...state, signIn };
}

const resting = { isBusy: false, isRefused: false, failure: undefined };

/** Rejects unless this page runs on the development machine itself. */
export async function developmentKeys(): Promise<Credentials> {
  const response = await authorizedFetch(`${location.origin}/console/development-sign-in`, { method: "POST" });
  return (await response.json()) as Credentials;
}

/** Rejects when the registry does not know the key. */
async function checkApiKey({ apiKey }: Credentials): Promise<void> {
  if (apiKey === undefined) return;
  await api.GET("/v1/api-keys/current", { headers: { Authorization: `Bearer ${apiKey}` } });
}
