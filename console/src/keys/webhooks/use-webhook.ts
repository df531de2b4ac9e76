/** One webhook with its queue. It is reloaded automatically: often while a message is about to be sent, and after each change. */
import { useQueryClient } from "@tanstack/react-query";
import { apiHooks } from "../../api/api.ts";
import { useChanges } from "../../live/live-changes.tsx";
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
  useChanges(useRefreshWebhooks());
  return query;
}

/** Reloads all shown data of webhooks. */
export function useRefreshWebhooks(): () => void {
  const queries = useQueryClient();
  return () =>
    void queries.invalidateQueries({
      predicate: ({ queryKey: [, path] }) => typeof path === "string" && path.startsWith("/v1/webhooks"),
    });
}
