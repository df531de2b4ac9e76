/**
 * The answer to the address's query: requested automatically when such an address is opened, and again by each press of "Send".
 * Answers stay cached for a while, so that the back button shows them at once.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { credentials } from "../api/api.ts";
import { askGateway, type ChainAnswer } from "./ask-gateway.ts";
import type { GatewayRequest } from "./gateway-request.ts";
import { tabHistory } from "./tab-history.ts";

export interface AskedRequest {
  readonly request: GatewayRequest;
  /** Query string of the screen's address, for the history of the tab. */
  readonly search: string;
}

export interface AnswerState {
  readonly answer: ChainAnswer | undefined;
  readonly failure: unknown;
  readonly isAsking: boolean;
  /** Resolves with the answer; undefined when it failed or was stopped. */
  readonly ask: (asked: AskedRequest) => Promise<ChainAnswer | undefined>;
  readonly stop: () => void;
}

/** Milliseconds that an answer stays cached: it may have megabytes. */
const KEPT = 120_000;

/** @param asked the address's query, undefined until it was sent. */
export function useAnswer(asked: AskedRequest | undefined): AnswerState {
  const queries = useQueryClient();
  const { data, error, isFetching } = useQuery({
    ...optionsOf(asked ?? NOTHING),
    // A query other than GET is sent only by a press.
    enabled: asked?.request.method === "GET",
    staleTime: Number.POSITIVE_INFINITY,
  });
  return {
    answer: data,
    failure: error ?? undefined,
    isAsking: isFetching,
    ask: (next) => queries.query({ ...optionsOf(next), staleTime: 0 }).catch(() => undefined),
    stop: () => void queries.cancelQueries({ queryKey: [FAMILY] }),
  };
}

const FAMILY = "chain-query";
const NOTHING: AskedRequest = {
  request: { method: "", target: "", headers: {}, access: "none" },
  search: "",
};

function optionsOf({ request, search }: AskedRequest) {
  return {
    queryKey: [FAMILY, JSON.stringify(request)],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ChainAnswer> => {
      const secret = credentials.read().gatewaySecret ?? "";
      const answer = await askGateway(request, secret, { origin: location.origin, signal });
      const { method, target } = request;
      const { status, duration, receivedAt } = answer;
      tabHistory.add({ search, method, target, status, duration, at: receivedAt });
      return answer;
    },
    retry: false,
    gcTime: KEPT,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Comparing megabytes with the previous value would freeze the page.
    structuralSharing: false,
  };
}
