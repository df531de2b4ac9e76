/** Changes the address, description and kinds of changes of a webhook. */
import { useQueryClient } from "@tanstack/react-query";
import { api, apiHooks } from "../../api/api.ts";
import { BackLink } from "../../kit/back-link.tsx";
import { useAnnounce } from "../../kit/announcer.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { ScreenHeader } from "../../kit/screen-header.tsx";
import { webhooksTexts } from "../../texts/webhooks.ts";
import { AdminOnly } from "./admin-only.tsx";
import type { WebhookBody } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";

export function EditPage({ webhookId }: { readonly webhookId: string }) {
  const href = `/keys/webhooks/${webhookId}`;
  return (
    <>
      <ScreenHeader title={webhooksTexts.editTitle} trail={<BackLink href={href}>{webhooksTexts.back}</BackLink>} />
      <AdminOnly>
        <EditForm webhookId={webhookId} href={href} />
      </AdminOnly>
    </>
  );
}

function EditForm({ webhookId, href }: { readonly webhookId: string; readonly href: string }) {
  const params = { path: { webhookId } };
  const query = apiHooks.useQuery("get", "/v1/webhooks/{webhookId}", { params });
  const queries = useQueryClient();
  const announce = useAnnounce();
  const save = async (_: WebhookBody, changed: Partial<WebhookBody>): Promise<string> => {
    await api.PATCH("/v1/webhooks/{webhookId}", { params, body: changed });
    await queries.invalidateQueries({ queryKey: ["get", "/v1/webhooks/{webhookId}"] });
    void queries.invalidateQueries({ queryKey: ["get", "/v1/webhooks"] });
    announce(webhooksTexts.wasSaved);
    return href;
  };
  return (
    <Loaded query={query} showsAge={false}>
      {(webhook) => <WebhookForm webhook={webhook} cancelHref={href} onSend={save} />}
    </Loaded>
  );
}
