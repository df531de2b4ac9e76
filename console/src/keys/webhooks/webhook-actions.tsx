/** The actions of a webhook: test it, pause it, change it, rotate its secret. */
import { useState } from "react";
import { Link } from "wouter";
import { api } from "../../api/api.ts";
import { exactTime } from "../../kit/age.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { keysTexts } from "../../texts/keys.ts";
import { ActionButton } from "../action-button.tsx";
import { OverlapChoice, SecretDialog, USUAL_OVERLAP } from "../secret-dialog.tsx";
import { useRefreshWebhooks } from "./use-webhook.ts";
import type { WebhookWithQueue } from "./webhook.ts";

interface WebhookProps {
  readonly webhook: WebhookWithQueue;
}

interface WebhookActionsProps extends WebhookProps {
  /** Called with the error, or `undefined` on a retry. */
  readonly onFailure: (failure: unknown) => void;
}

export function WebhookActions({ webhook, onFailure }: WebhookActionsProps) {
  const { id, enabled } = webhook;
  const params = { path: { webhookId: id } };
  const refresh = useRefreshWebhooks();
  const announce = useAnnounce();
  const [isRotating, setIsRotating] = useState(false);
  const [secret, setSecret] = useState<string>();

  const ping = async (): Promise<void> => {
    await api.POST("/v1/webhooks/{webhookId}/ping", { params });
    announce("A test message is on its way. The deliveries below show the result.");
    refresh();
  };
  const toggle = async (): Promise<void> => {
    await api.PATCH("/v1/webhooks/{webhookId}", { params, body: { enabled: !enabled } });
    announce(
      enabled
        ? "The webhook is paused. Changes wait until it is resumed."
        : "The webhook is on. Waiting messages are sent now.",
    );
    refresh();
  };
  return (
    <>
      <button type="button" onClick={() => setIsRotating(true)}>
        Rotate the secret
      </button>
      <Link className="button" href={`/keys/webhooks/${id}/edit`}>
        Edit
      </Link>
      <ActionButton onAct={toggle} onFailure={onFailure}>
        {enabled ? "Pause" : "Resume"}
      </ActionButton>
      <ActionButton className="primary" onAct={ping} onFailure={onFailure}>
        Send a test
      </ActionButton>
      {isRotating && <RotateDialog webhook={webhook} onSecret={setSecret} onClose={() => setIsRotating(false)} />}
      {secret !== undefined && <SecretDialog kind="webhook" secret={secret} onStored={() => setSecret(undefined)} />}
    </>
  );
}

interface RotateDialogProps extends WebhookProps {
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}

function RotateDialog({ webhook: { id }, onSecret, onClose }: RotateDialogProps) {
  const [overlap, setOverlap] = useState(USUAL_OVERLAP);
  const until = exactTime(Date.now() + overlap * 1_000);
  const rotate = async (): Promise<void> => {
    const { data } = await api.POST("/v1/webhooks/{webhookId}/rotate", {
      params: { path: { webhookId: id } },
      body: { overlapSeconds: overlap },
    });
    if (data !== undefined) onSecret(data.secret);
  };
  return (
    <ConfirmDialog
      title="Rotate the signing secret?"
      effect={
        <div className="stack">
          <OverlapChoice
            label="How long messages are signed with both secrets"
            overlap={overlap}
            onChange={setOverlap}
          />
          <p aria-live="polite">
            {overlap === 0
              ? "From the next message on, only the new secret signs. A receiver that checks with the old secret rejects the messages."
              : `Messages are signed with both secrets for ${keysTexts.overlaps[overlap]}, until ${until}. Give the new secret to the receiver before then.`}
          </p>
        </div>
      }
      action="Create a new secret"
      isDangerous={overlap === 0}
      onConfirm={rotate}
      onClose={onClose}
    />
  );
}
