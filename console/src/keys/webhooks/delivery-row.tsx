/** One message of a webhook: what it is about, what came of it, and sending it again. */
import { useState } from "react";
import { api } from "../../api/api.ts";
import { Age } from "../../kit/age.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { ShortId } from "../../kit/did-text.tsx";
import { ErrorPanel } from "../../kit/error-panel.tsx";
import { plural } from "../../texts/number.ts";
import { webhooksTexts } from "../../texts/webhooks.ts";
import { ActionButton } from "../action-button.tsx";
import { useRefreshWebhooks } from "./use-webhook.ts";
import { type Delivery, outcomeInWords, typeInWords } from "./webhook.ts";

const badges = { pending: "Waiting", delivered: "Delivered", dead: "Dead letter" };

const replayTexts = { pending: "Try now", delivered: "Send again", dead: "Replay" };

const tones: Readonly<Record<Delivery["state"], Tone>> = { pending: "info", delivered: "ok", dead: "danger" };

export interface DeliveryRowProps {
  readonly webhookId: string;
  readonly delivery: Delivery;
}

export function DeliveryRow({ webhookId, delivery }: DeliveryRowProps) {
  const { id, type, state, attempts } = delivery;
  const [failure, setFailure] = useState<unknown>();
  const announce = useAnnounce();
  const refresh = useRefreshWebhooks();
  const replay = async (): Promise<void> => {
    const path = { webhookId, deliveryId: id };
    await api.POST("/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay", { params: { path } });
    announce("It is sent again, under the same id.");
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
            {"Next attempt"} <Age at={nextAttemptAt} />
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
