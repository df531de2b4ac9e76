/** Whether a webhook sends, in a word. */
import { Badge } from "../../kit/badge.tsx";
import { webhooksTexts } from "../../texts/webhooks.ts";
import type { Webhook } from "./webhook.ts";

export function WebhookBadge({ webhook: { enabled, disabledReason } }: { readonly webhook: Webhook }) {
  if (enabled) return <Badge tone="ok">{webhooksTexts.on}</Badge>;
  if (disabledReason === "operator") return <Badge tone="info">{webhooksTexts.paused}</Badge>;
  return <Badge tone="danger">{webhooksTexts.off}</Badge>;
}
