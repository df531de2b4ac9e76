/** The webhooks, each with a link to its page. */
import { Link } from "wouter";
import { apiHooks } from "../../api/api.ts";
import { CursorPages } from "../../kit/cursor-pages.tsx";
import { Age } from "../../kit/age.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { webhooksTexts } from "../../texts/webhooks.ts";
import { SectionHead } from "../sections.tsx";
import { AdminOnly } from "./admin-only.tsx";
import { WebhookBadge } from "./webhook-badge.tsx";
import type { Webhook } from "./webhook.ts";
import { REFRESH } from "../refresh.ts";

/** Webhooks of a page; there may be 50. */
const ROWS = 25;

export function WebhookList() {
  return (
    <div className="stack loose">
      <SectionHead
        current="webhooks"
        actions={
          <Link className="button primary" href="/keys/webhooks/new">
            <Icon name="plus" /> {webhooksTexts.create}
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
          <EmptyState title={webhooksTexts.none}>
            <p>{webhooksTexts.noneWhy}</p>
            <Link className="button primary" href="/keys/webhooks/new">
              {webhooksTexts.create}
            </Link>
          </EmptyState>
        ) : (
          <div className="stack">
            <ul className="key-rows" aria-label={webhooksTexts.listLabel}>
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
          {actions.length === 0 ? webhooksTexts.everyChange : webhooksTexts.someChanges(actions.length)}
        </span>
      </div>
      <span className="small muted">
        {webhooksTexts.created} <Age at={createdAt} />
      </span>
    </li>
  );
}
