/** Deletes a webhook, after a dialog that names what is lost with it. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { api } from "../../api/api.ts";
import { useAnnounce } from "../../kit/announcer.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { webhooksTexts } from "../../texts/webhooks.ts";
import type { WebhookWithQueue } from "./webhook.ts";

export function DeleteWebhook({ webhook: { id, url, queue } }: { readonly webhook: WebhookWithQueue }) {
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const remove = async (): Promise<void> => {
    await api.DELETE("/v1/webhooks/{webhookId}", { params: { path: { webhookId: id } } });
    // The list alone: this page would ask for what is deleted.
    void queries.invalidateQueries({ queryKey: ["get", "/v1/webhooks"] });
    announce(webhooksTexts.wasDeleted);
    navigate("/keys/webhooks", { replace: true });
  };
  return (
    <div>
      <button type="button" onClick={() => setIsAsked(true)}>
        {webhooksTexts.delete}
      </button>
      {isAsked && (
        <ConfirmDialog
          title={webhooksTexts.deleteTitle}
          effect={
            <div className="stack tight">
              <p className="webhook-url">{webhooksTexts.deleteEffect(url)}</p>
              {queue.pending + queue.dead > 0 && <p>{webhooksTexts.deleteQueue(queue.pending, queue.dead)}</p>}
            </div>
          }
          action={webhooksTexts.deleteAction}
          onConfirm={remove}
          onClose={() => setIsAsked(false)}
        />
      )}
    </div>
  );
}
