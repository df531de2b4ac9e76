/** One webhook with its queue, asked for again by itself: often while a message is about to be sent, and after each change. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { apiHooks } from "../../api/api.ts";
import { useLive } from "../../live/live-changes.tsx";
import { refreshEvery } from "./webhook.ts";

export function useWebhook(webhookId: string) {
  const query = apiHooks.useQuery(
    "get",
    "/v1/webhooks/{webhookId}",
    { params: { path: { webhookId } } },
    {
      refetchInterval: ({ state: { data } }) =>
        refreshEvery(data?.enabled === true ? data.queue.nextAttemptAt : null, Date.now()),
    },
  );
  const refresh = useRefreshWebhooks();
  const { last } = useLive();
  useEffect(() => {
    if (last !== undefined) refresh();
  }, [last, refresh]);
  return query;
}

/** Has everything that is shown of webhooks asked for again. */
export function useRefreshWebhooks(): () => void {
  const queries = useQueryClient();
  return useCallback(() => {
    void queries.invalidateQueries({
      predicate: ({ queryKey: [, path] }) => typeof path === "string" && path.startsWith("/v1/webhooks"),
    });
  }, [queries]);
}
