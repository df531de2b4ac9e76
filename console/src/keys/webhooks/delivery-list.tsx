/** The messages of a webhook with their results, newest first, and the replay of those that were given up. */
import { useState } from "react";
import { api, apiHooks } from "../../api/api.ts";
import { CursorPages } from "../../kit/cursor-pages.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { webhooksTexts } from "../../texts/webhooks.ts";
import { DeliveryRow } from "./delivery-row.tsx";
import { useRefreshWebhooks } from "./use-webhook.ts";
import { refreshEvery, type WebhookWithQueue } from "./webhook.ts";
import { Tabs } from "../../kit/tabs.tsx";

/** Deliveries of a page. */
const ROWS = 20;

const states = ["pending", "delivered", "dead"] as const;

export function DeliveryList({ webhook }: { readonly webhook: WebhookWithQueue }) {
  const { id: webhookId, enabled, queue } = webhook;
  const [{ state: named, cursor }, change] = useUrlState({ state: "", cursor: "" });
  const state = states.find((each) => each === named);
  const query = apiHooks.useQuery(
    "get",
    "/v1/webhooks/{webhookId}/deliveries",
    {
      params: {
        path: { webhookId },
        query: {
          limit: ROWS,
          ...(state === undefined ? {} : { state }),
          ...(cursor === "" ? {} : { cursor }),
        },
      },
    },
    { refetchInterval: refreshEvery(enabled ? queue.nextAttemptAt : null, Date.now()) },
  );
  return (
    <section className="stack" aria-labelledby="deliveries">
      <div className="row wrap spread">
        <h2 id="deliveries">{webhooksTexts.deliveries}</h2>
        {queue.dead > 0 && <ReplayAll webhookId={webhookId} count={queue.dead} />}
      </div>
      <p className="hint">{webhooksTexts.deliveriesLead}</p>
      <Tabs
        label={webhooksTexts.deliveryState}
        current={state ?? "any"}
        tabs={(["any", ...states] as const).map((name) => ({
          name,
          title: webhooksTexts.states[name],
          href: `/keys/webhooks/${webhookId}${name === "any" ? "" : `?state=${name}`}`,
        }))}
      />
      <Loaded query={query} showsAge={false}>
        {({ data, page }) => (
          <div className="stack">
            {data.length === 0 ? (
              <EmptyState title={state === undefined ? webhooksTexts.noDeliveries : webhooksTexts.noneInState}>
                {state === undefined && <p>{webhooksTexts.noDeliveriesWhy}</p>}
              </EmptyState>
            ) : (
              <ul className="key-rows" aria-label={webhooksTexts.deliveriesLabel}>
                {data.map((delivery) => (
                  <DeliveryRow key={delivery.id} webhookId={webhookId} delivery={delivery} />
                ))}
              </ul>
            )}
            <CursorPages cursor={cursor} next={page.nextCursor} onChange={(next) => change({ cursor: next })} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

function ReplayAll({ webhookId, count }: { readonly webhookId: string; readonly count: number }) {
  const [isAsked, setIsAsked] = useState(false);
  const announce = useAnnounce();
  const refresh = useRefreshWebhooks();
  const replay = async (): Promise<void> => {
    const { data } = await api.POST("/v1/webhooks/{webhookId}/replay", { params: { path: { webhookId } } });
    announce(webhooksTexts.replayedAll(data?.replayed ?? count));
    refresh();
  };
  return (
    <>
      <button type="button" onClick={() => setIsAsked(true)}>
        {webhooksTexts.replayAll(count)}
      </button>
      {isAsked && (
        <ConfirmDialog
          title={webhooksTexts.replayTitle(count)}
          effect={webhooksTexts.replayEffect(count)}
          action={webhooksTexts.replayAction(count)}
          isDangerous={false}
          onConfirm={replay}
          onClose={() => setIsAsked(false)}
        />
      )}
    </>
  );
}
