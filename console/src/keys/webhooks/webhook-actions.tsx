/** What can be done with a webhook: try it, pause it, change it, rotate its secret. */
import { useState } from "react";
import { Link } from "wouter";
import { api } from "../../api/api.ts";
import { exactTime } from "../../kit/age.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { keysTexts } from "../../texts/keys.ts";
import { webhooksTexts } from "../../texts/webhooks.ts";
import { ActionButton } from "../action-button.tsx";
import { OverlapChoice, USUAL_OVERLAP } from "../overlap-choice.tsx";
import { SecretDialog } from "../secret-dialog.tsx";
import { useRefreshWebhooks } from "./use-webhook.ts";
import type { WebhookWithQueue } from "./webhook.ts";

interface WebhookProps {
  readonly webhook: WebhookWithQueue;
}

interface WebhookActionsProps extends WebhookProps {
  /** What went wrong, or `undefined` when something is tried again. */
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
    announce(webhooksTexts.pingSent);
    refresh();
  };
  const toggle = async (): Promise<void> => {
    await api.PATCH("/v1/webhooks/{webhookId}", { params, body: { enabled: !enabled } });
    announce(enabled ? webhooksTexts.wasPaused : webhooksTexts.wasResumed);
    refresh();
  };
  return (
    <>
      <button type="button" onClick={() => setIsRotating(true)}>
        {webhooksTexts.rotate}
      </button>
      <Link className="button" href={`/keys/webhooks/${id}/edit`}>
        {webhooksTexts.edit}
      </Link>
      <ActionButton onAct={toggle} onFailure={onFailure}>
        {enabled ? webhooksTexts.pause : webhooksTexts.resume}
      </ActionButton>
      <ActionButton className="primary" onAct={ping} onFailure={onFailure}>
        {webhooksTexts.ping}
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
      title={webhooksTexts.rotateTitle}
      effect={
        <div className="stack">
          <OverlapChoice label={webhooksTexts.overlap} overlap={overlap} onChange={setOverlap} />
          <p aria-live="polite">
            {overlap === 0 ? webhooksTexts.stopsAtOnce : webhooksTexts.stopsIn(keysTexts.overlaps[overlap], until)}
          </p>
        </div>
      }
      action={webhooksTexts.rotateAction}
      isDangerous={overlap === 0}
      onConfirm={rotate}
      onClose={onClose}
    />
  );
}
