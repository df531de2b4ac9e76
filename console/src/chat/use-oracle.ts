/** Requests to the oracle of this host in the name of the identity, for panels: what it answers, with failures as `<Loaded>` knows them. */
import { useQuery } from "@tanstack/react-query";
import { useOraclesContext } from "@twinedge/sdk";
import { useCallback } from "react";
import { healthQuery } from "../api/use-health.ts";
import { useChatParts } from "./chat-context.ts";
import { asApiFailure } from "./failure-facts.ts";

export function useOracleRequest() {
  const { oracleDid } = useChatParts();
  const { authedRequest } = useOraclesContext();
  return useCallback(
    async <Answer>(path: string, method: "GET" | "DELETE" = "GET"): Promise<Answer> => {
      try {
        return await authedRequest<Answer>(`${location.origin}${path}`, method, {}, oracleDid);
      } catch (error) {
        throw asApiFailure(error);
      }
    },
    [authedRequest, oracleDid],
  );
}

/** Asked again after each turn: the key begins with `chat`. */
export function useOracleQuery<Answer>(
  path: string,
  isEnabled = true,
  /** Milliseconds until the next automatic request. */
  again: (answer: Answer) => number | false = () => false,
) {
  const { identity } = useChatParts();
  const request = useOracleRequest();
  return useQuery({
    queryKey: ["chat", identity.signer.did, path],
    queryFn: () => request<Answer>(path),
    enabled: isEnabled,
    // Somebody comes back from where they have signed in, or from another tab of the chat.
    refetchOnWindowFocus: "always",
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : again(data)),
  });
}

/** Which plugins this host has on: the panel of one that is off states that. */
export function usePlugins() {
  return useQuery({ ...healthQuery, select: ({ plugins }) => plugins?.loaded ?? [] });
}
