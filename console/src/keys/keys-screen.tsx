/** The screen below /console/keys: API keys, and webhooks. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, Route, Switch } from "wouter";
import { api, apiHooks } from "../api/api.ts";
import { Age } from "../kit/age.tsx";
import { useAnnounce } from "../kit/announcer.tsx";
import { CursorPages } from "../kit/cursor-pages.tsx";
import { Icon } from "../kit/icon.tsx";
import { EmptyState, Loaded } from "../kit/loaded.tsx";
import { BackLink, ScreenHeader } from "../kit/screen-header.tsx";
import { useNextAddress, useUrlState } from "../kit/use-url-state.ts";
import { NotFound } from "../shell/not-found.tsx";
import { webhooksTexts } from "../texts/keys.ts";
import { plural } from "../texts/number.ts";
import { IssuePage } from "./api-keys/issue-page.tsx";
import { KeyList } from "./api-keys/key-list.tsx";
import { KeyPage } from "./api-keys/key-page.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { REFRESH, SectionHead } from "./sections.tsx";
import { AdminOnly } from "./webhooks/admin-only.tsx";
import { WebhookBadge } from "./webhooks/webhook-badge.tsx";
import type { WebhookBody } from "./webhooks/webhook-draft.ts";
import { WebhookForm } from "./webhooks/webhook-form.tsx";
import { WebhookPage } from "./webhooks/webhook-page.tsx";
import type { Webhook } from "./webhooks/webhook.ts";

export default function KeysScreen() {
  return (
    <Switch>
      <Route path="/keys">
        <KeyList />
      </Route>
      <Route path="/keys/new">
        <IssuePage />
      </Route>
      <Route path="/keys/webhooks">
        <WebhookList />
      </Route>
      <Route path="/keys/webhooks/new">
        <CreatePage />
      </Route>
      <Route path="/keys/webhooks/:webhookId/edit">
        {({ webhookId }) => <EditPage key={webhookId} webhookId={webhookId} />}
      </Route>
      <Route path="/keys/webhooks/:webhookId">
        {({ webhookId }) => <WebhookPage key={webhookId} webhookId={webhookId} />}
      </Route>
      <Route path="/keys/:keyId">{({ keyId }) => <KeyPage key={keyId} keyId={keyId} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

/** Creates a webhook. Its signing secret is shown once; then the page of the webhook replaces the form. */
function CreatePage() {
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
        title="New webhook"
        lead="New changes are posted to an address in order, signed with the Standard Webhooks scheme."
        trail={<BackLink href="/keys/webhooks">{webhooksTexts.back}</BackLink>}
      />
      <AdminOnly>
        <WebhookForm cancelHref="/keys/webhooks" onSend={create} />
      </AdminOnly>
      {created !== undefined && <SecretDialog kind="webhook" secret={created.secret} onStored={stored} />}
    </>
  );
}

/** Changes the address, description and kinds of changes of a webhook. */
function EditPage({ webhookId }: { readonly webhookId: string }) {
  const href = `/keys/webhooks/${webhookId}`;
  return (
    <>
      <ScreenHeader title="Edit the webhook" trail={<BackLink href={href}>{webhooksTexts.back}</BackLink>} />
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
    announce("The webhook was changed.");
    return href;
  };
  return (
    <Loaded query={query} showsAge={false}>
      {(webhook) => <WebhookForm webhook={webhook} cancelHref={href} onSend={save} />}
    </Loaded>
  );
}

/** Webhooks per page; there may be 50. */
const ROWS = 25;

/** The webhooks, each with a link to its page. */
function WebhookList() {
  return (
    <div className="stack loose">
      <SectionHead
        current="webhooks"
        actions={
          <Link className="button primary" href="/keys/webhooks/new">
            <Icon name="plus" /> New webhook
          </Link>
        }
      />
      <AdminOnly>
        <Webhooks />
      </AdminOnly>
    </div>
  );
}

function Webhooks() {
  const [{ cursor }, change] = useUrlState({ cursor: "" });
  const page = { limit: ROWS, ...(cursor === "" ? {} : { cursor }) };
  const query = apiHooks.useQuery("get", "/v1/webhooks", { params: { query: page } }, { refetchInterval: REFRESH });
  return (
    <Loaded query={query}>
      {({ data, page: { nextCursor } }) =>
        data.length === 0 ? (
          <EmptyState title="No webhooks yet">
            <p>A webhook posts each change of a domain to your address within seconds. Each message is signed.</p>
            <Link className="button primary" href="/keys/webhooks/new">
              New webhook
            </Link>
          </EmptyState>
        ) : (
          <div className="stack">
            <ul className="key-rows" aria-label="Webhooks">
              {data.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} />
              ))}
            </ul>
            <CursorPages cursor={cursor} next={nextCursor} onChange={(next) => change({ cursor: next })} />
          </div>
        )
      }
    </Loaded>
  );
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const { id, url, description, actions, createdAt } = webhook;
  return (
    <li className="key-row">
      <div className="stack tight">
        <span className="row wrap">
          <Link href={`/keys/webhooks/${id}`} className="key-label">
            {url}
          </Link>
          <WebhookBadge webhook={webhook} />
        </span>
      </div>
      <div className="stack tight">
        {description !== null && <span>{description}</span>}
        <span className="small muted">
          {actions.length === 0
            ? webhooksTexts.everyChange
            : plural(actions.length, "kind of change", "kinds of changes")}
        </span>
      </div>
      <span className="small muted">
        Created <Age at={createdAt} />
      </span>
    </li>
  );
}
