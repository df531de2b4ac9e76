/** The messages of a webhook with their results, newest first, and the replay of dead letters. */
import { useState } from "react";
import { api, apiHooks } from "../../api/api.ts";
import { Age } from "../../kit/age.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { CursorPages } from "../../kit/cursor-pages.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { EmptyState, ErrorPanel, Loaded } from "../../kit/loaded.tsx";
import { ShortId } from "../../kit/person.tsx";
import { Tabs } from "../../kit/screen-header.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { webhooksTexts } from "../../texts/keys.ts";
import { plural } from "../../texts/number.ts";
import { ActionButton } from "../action-button.tsx";
import { useRefreshWebhooks } from "./use-webhook.ts";
import { type Delivery, type WebhookWithQueue, outcomeInWords, refreshEvery, typeInWords } from "./webhook.ts";

const statesTexts = { any: "All", pending: "Waiting", delivered: "Delivered", dead: "Dead letters" };

/** Deliveries per page. */
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
        <h2 id="deliveries">Deliveries</h2>
        {queue.dead > 0 && <ReplayAll webhookId={webhookId} count={queue.dead} />}
      </div>
      <p className="hint">
        Newest first: the last 200 delivered messages, the last 1,000 dead letters and all waiting messages.
      </p>
      <Tabs
        label="Show"
        current={state ?? "any"}
        tabs={(["any", ...states] as const).map((name) => ({
          name,
          title: statesTexts[name],
          href: `/keys/webhooks/${webhookId}${name === "any" ? "" : `?state=${name}`}`,
        }))}
      />
      <Loaded query={query} showsAge={false}>
        {({ data, page }) => (
          <div className="stack">
            {data.length === 0 ? (
              <EmptyState title={state === undefined ? "Nothing has been sent yet" : "None in this state"}>
                {state === undefined && <p>The next change of a domain will appear here. You can also send a test.</p>}
              </EmptyState>
            ) : (
              <ul className="key-rows" aria-label="Deliveries, newest first">
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
    announce(`${plural(data?.replayed ?? count, "message is", "messages are")} sent again.`);
    refresh();
  };
  return (
    <>
      <button type="button" onClick={() => setIsAsked(true)}>
        {count === 1 ? "Replay the dead letter" : `Replay all ${count} dead letters`}
      </button>
      {isAsked && (
        <ConfirmDialog
          title={`Replay ${plural(count, "dead letter", "dead letters")}?`}
          effect={`${plural(count, "message is", "messages are")} sent to the receiver again, each with its original id and out of order. A receiver can use the id to detect duplicates.`}
          action={`Send ${plural(count, "message", "messages")}`}
          isDangerous={false}
          onConfirm={replay}
          onClose={() => setIsAsked(false)}
        />
      )}
    </>
  );
}

const badges = { pending: "Waiting", delivered: "Delivered", dead: "Dead letter" };

const replayTexts = { pending: "Try now", delivered: "Send again", dead: "Replay" };

const tones: Readonly<Record<Delivery["state"], Tone>> = { pending: "info", delivered: "ok", dead: "danger" };

interface DeliveryRowProps {
  readonly webhookId: string;
  readonly delivery: Delivery;
}

/** One message of a webhook: its subject, its result, and a button to send it again. */
function DeliveryRow({ webhookId, delivery }: DeliveryRowProps) {
  const { id, type, state, attempts } = delivery;
  const [failure, setFailure] = useState<unknown>();
  const announce = useAnnounce();
  const refresh = useRefreshWebhooks();
  const replay = async (): Promise<void> => {
    const path = { webhookId, deliveryId: id };
    await api.POST("/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay", { params: { path } });
    announce("It is sent again with the same id.");
    refresh();
  };
  const words = typeInWords(type);
  const action = replayTexts[state];
  return (
    <li className="key-row delivery">
      <div className="stack tight">
        <span className="row wrap">
          <strong>{words}</strong>
          <Badge tone={tones[state]}>{badges[state]}</Badge>
        </span>
        <span className="row small muted">
          <ShortId id={id} />
          <CopyButton text={id} label="Copy the message id" />
        </span>
      </div>
      <div className="key-times small">
        <span>
          {attempts === 0
            ? "Not tried yet"
            : [plural(attempts, "attempt", "attempts"), outcomeInWords(delivery)]
                .filter((part) => part !== "")
                .join(", ")}
        </span>
        <DeliveryTimes delivery={delivery} />
      </div>
      <div>
        <ActionButton className="small" label={`${action}: ${words} ${id}`} onAct={replay} onFailure={setFailure}>
          {action}
        </ActionButton>
      </div>
      {failure !== undefined && <ErrorPanel error={failure} />}
    </li>
  );
}

function DeliveryTimes({ delivery: { state, takenAt, nextAttemptAt, endedAt } }: { readonly delivery: Delivery }) {
  if (state === "pending" && nextAttemptAt !== null) {
    const isDue = Date.parse(nextAttemptAt) <= Date.now();
    return (
      <span className="muted">
        {isDue ? (
          "Due now"
        ) : (
          <>
            Next attempt <Age at={nextAttemptAt} />
          </>
        )}
      </span>
    );
  }
  return (
    <span className="muted">
      {endedAt === null ? "Taken" : webhooksTexts[state === "delivered" ? "delivered" : "givenUp"]}{" "}
      <Age at={endedAt ?? takenAt} />
    </span>
  );
}
