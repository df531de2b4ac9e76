/** Requests to this host's oracle, signed by the identity, for panels: its answers, with failures in the form of `<Loaded>`. */
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

/** Requested again after each turn: the key begins with `chat`. */
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
    // The user returns from signing in, or from another tab of the chat.
    refetchOnWindowFocus: "always",
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : again(data)),
  });
}

/** The plugins that are on at this host: a panel of a plugin that is off explains this. */
export function usePlugins() {
  return useQuery({ ...healthQuery, select: ({ plugins }) => plugins?.loaded ?? [] });
}
