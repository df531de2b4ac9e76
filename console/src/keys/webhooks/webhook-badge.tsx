/** Whether a webhook sends, in a word. */
import { Badge } from "../../kit/badge.tsx";
import type { Webhook } from "./webhook.ts";

export function WebhookBadge({ webhook: { enabled, disabledReason } }: { readonly webhook: Webhook }) {
  if (enabled) return <Badge tone="ok">On</Badge>;
  if (disabledReason === "operator") return <Badge tone="info">Paused</Badge>;
  return <Badge tone="danger">Off</Badge>;
}
