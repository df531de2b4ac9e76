/** Creates a webhook. Its signing secret is shown once; then the page of the webhook takes the place of the form. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/api.ts";
import { BackLink } from "../../kit/back-link.tsx";
import { ScreenHeader } from "../../kit/screen-header.tsx";
import { useNextAddress } from "../../kit/use-next-address.ts";
import { webhooksTexts } from "../../texts/webhooks.ts";
import { SecretDialog } from "../secret-dialog.tsx";
import { AdminOnly } from "./admin-only.tsx";
import type { WebhookBody } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";

export function CreatePage() {
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string }>();
  const goTo = useNextAddress();
  const queries = useQueryClient();
  const create = async (body: WebhookBody): Promise<undefined> => {
    const { data } = await api.POST("/v1/webhooks", { body });
    if (data !== undefined) setCreated({ id: data.id, secret: data.secret });
    void queries.invalidateQueries({ queryKey: ["get", "/v1/webhooks"] });
  };
  const stored = (): void => {
    if (created !== undefined) goTo(`/keys/webhooks/${created.id}`);
    setCreated(undefined);
  };
  return (
    <>
      <ScreenHeader
        title={webhooksTexts.createTitle}
        lead={webhooksTexts.createLead}
        trail={<BackLink href="/keys/webhooks">{webhooksTexts.back}</BackLink>}
      />
      <AdminOnly>
        <WebhookForm cancelHref="/keys/webhooks" onSend={create} />
      </AdminOnly>
      {created !== undefined && <SecretDialog kind="webhook" secret={created.secret} onStored={stored} />}
    </>
  );
}
