/** One webhook: its state and the reason, its queue, its actions, and its deliveries. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { api } from "../../api/api.ts";
import { Age } from "../../kit/age.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { AgeAndTime, CopiedText, Fact } from "../../kit/fact.tsx";
import { Icon } from "../../kit/icon.tsx";
import { ErrorPanel, Loaded } from "../../kit/loaded.tsx";
import { Person } from "../../kit/person.tsx";
import { BackLink, ScreenHeader } from "../../kit/screen-header.tsx";
import { changeName } from "../../texts/changes.ts";
import { webhooksTexts } from "../../texts/keys.ts";
import { plural } from "../../texts/number.ts";
import { shellTexts } from "../../texts/shell.ts";
import { AdminOnly } from "./admin-only.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { useWebhook } from "./use-webhook.ts";
import { WebhookActions } from "./webhook-actions.tsx";
import { WebhookBadge } from "./webhook-badge.tsx";
import type { WebhookWithQueue } from "./webhook.ts";

const disabled = {
  operator: "The webhook is paused. Changes wait and are sent when it is resumed.",
  gone: "The receiver answered 410 Gone, so it was switched off. Changes wait and are sent when it is resumed.",
  failing:
    "Three messages in a row could not be delivered, or twenty were refused, so it was switched off. Changes wait and are sent when it is resumed.",
  "host-not-allowed":
    "REGISTRY_WEBHOOK_HOSTS no longer lists its host, so it was switched off. Ask the operator to list the host, then resume the webhook.",
};

const facts = {
  state: "State",
  url: "Address",
  actions: "Sends",
  by: "Created by",
  created: "Created",
  changed: "Changed",
  waiting: "Waiting",
  backlog: "Not queued yet",
  dead: "Dead letters",
  next: "Next attempt",
  id: "Id",
};

const messages = (count: number) => plural(count, "message", "messages");

const trail = <BackLink href="/keys/webhooks">{webhooksTexts.back}</BackLink>;

export function WebhookPage({ webhookId }: { readonly webhookId: string }) {
  return (
    <AdminOnly head={<ScreenHeader title={shellTexts.screens.keys} trail={trail} />}>
      <ShownWebhook webhookId={webhookId} />
    </AdminOnly>
  );
}

function ShownWebhook({ webhookId }: { readonly webhookId: string }) {
  const query = useWebhook(webhookId);
  const { data } = query;
  const [failure, setFailure] = useState<unknown>();
  return (
    <>
      <ScreenHeader
        title={data === undefined ? shellTexts.screens.keys : titleOf(data)}
        trail={trail}
        actions={data !== undefined && <WebhookActions webhook={data} onFailure={setFailure} />}
      />
      {failure !== undefined && <ErrorPanel error={failure} />}
      <Loaded query={query}>
        {(webhook) => (
          <div className="stack loose">
            {webhook.disabledReason !== null && (
              <div className={webhook.disabledReason === "operator" ? "notice" : "notice warn"}>
                <Icon name={webhook.disabledReason === "operator" ? "info" : "warning"} />
                <p>
                  {disabled[webhook.disabledReason]}{" "}
                  {webhook.disabledAt !== null && (
                    <span className="muted">
                      Since <Age at={webhook.disabledAt} />.
                    </span>
                  )}
                </p>
              </div>
            )}
            <section className="card">
              <WebhookFacts webhook={webhook} />
            </section>
            <DeliveryList webhook={webhook} />
            <DeleteWebhook webhook={webhook} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function titleOf({ description, url }: WebhookWithQueue): string {
  return description ?? url.replace(/^https?:\/\//, "");
}

function WebhookFacts({ webhook }: { readonly webhook: WebhookWithQueue }) {
  const { id, url, actions, createdBy, createdAt, updatedAt, queue } = webhook;
  return (
    <dl className="facts">
      <Fact name={facts.state}>
        <WebhookBadge webhook={webhook} />
      </Fact>
      <Fact name={facts.url}>
        <CopiedText text={url} label="Copy the address" />
      </Fact>
      <Fact name={facts.actions}>
        {actions.length === 0 ? webhooksTexts.everyChange : actions.map(changeName).join(", ")}
      </Fact>
      <Fact name={facts.waiting}>{messages(queue.pending)}</Fact>
      <Fact name={facts.backlog}>{plural(queue.backlog, "change", "changes")}</Fact>
      {queue.nextAttemptAt !== null && webhook.enabled && (
        <Fact name={facts.next}>
          <Age at={queue.nextAttemptAt} />
        </Fact>
      )}
      <Fact name={facts.dead}>{messages(queue.dead)}</Fact>
      <Fact name={facts.by}>
        <Person did={createdBy} canCopy />
      </Fact>
      <Fact name={facts.created}>
        <AgeAndTime at={createdAt} />
      </Fact>
      {updatedAt !== createdAt && (
        <Fact name={facts.changed}>
          <AgeAndTime at={updatedAt} />
        </Fact>
      )}
      <Fact name={facts.id}>
        <CopiedText text={id} label="Copy the id" />
      </Fact>
    </dl>
  );
}

/** Deletes a webhook, after a dialog that names what is lost with it. */
function DeleteWebhook({ webhook: { id, url, queue } }: { readonly webhook: WebhookWithQueue }) {
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const remove = async (): Promise<void> => {
    await api.DELETE("/v1/webhooks/{webhookId}", { params: { path: { webhookId: id } } });
    // Only the list: this page would request the deleted webhook.
    void queries.invalidateQueries({ queryKey: ["get", "/v1/webhooks"] });
    announce("The webhook is deleted.");
    navigate("/keys/webhooks", { replace: true });
  };
  return (
    <div>
      <button type="button" onClick={() => setIsAsked(true)}>
        Delete
      </button>
      {isAsked && (
        <ConfirmDialog
          title="Delete this webhook?"
          effect={
            <div className="stack tight">
              <p className="webhook-url">{`The registry stops sending changes to ${url}. This cannot be undone.`}</p>
              {queue.pending + queue.dead > 0 && (
                <p>{`Its deliveries are deleted too: ${plural(queue.pending, "waiting message", "waiting messages")} and ${plural(queue.dead, "dead letter", "dead letters")} will never be sent.`}</p>
              )}
            </div>
          }
          action="Delete the webhook"
          onConfirm={remove}
          onClose={() => setIsAsked(false)}
        />
      )}
    </div>
  );
}
