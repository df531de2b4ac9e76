/**
 * All SQL about webhooks. The signing secret and the state of delivery are in the webhook's Outbox
 * (durable-objects/outbox.ts).
 */
import type { Database } from "../../../platform/database/database.ts";
import { domainActions, type DomainAction } from "../domain/domain.ts";
import { keysetPage } from "./sql.ts";
import { readFullPage, readTexts } from "./stored-columns.ts";

export const disabledReasons = ["operator", "gone", "failing", "host-not-allowed"] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** Times are Unix milliseconds. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** Empty for all actions. */
  readonly actions: readonly DomainAction[];
  /** DIDs of domains; empty for all. */
  readonly domains: readonly string[];
  /** Empty for all classes. */
  readonly classes: readonly string[];
  readonly enabled: boolean;
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: number | null;
  /** The DID of the creating key. */
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly actions: string;
  readonly domains: string;
  readonly classes: string;
  readonly enabled: number;
  readonly disabled_reason: DisabledReason | null;
  readonly disabled_at: number | null;
  readonly created_by: string;
  readonly created_at: number;
  readonly updated_at: number;
}

export async function readWebhook(database: Database, id: string): Promise<Webhook | undefined> {
  const row = await database.prepare("SELECT * FROM webhooks WHERE id = ?").bind(id).first<WebhookRow>();
  return row === null ? undefined : webhookOf(row);
}

/** Lists webhooks by id, after `after`; at most `limit`. */
export async function listWebhooks(database: Database, after: string, limit: number): Promise<readonly Webhook[]> {
  const page = { columns: "*", source: "webhooks", where: () => [], order: ["id"] };
  const pageBehind = (last: WebhookRow | undefined, wanted: number) =>
    keysetPage(database, { ...page, after: [last?.id ?? after], limit: wanted });
  return readFullPage("webhooks", limit, pageBehind, webhookOf);
}

export async function enabledWebhooks(database: Database): Promise<readonly string[]> {
  const { results } = await database.prepare("SELECT id FROM webhooks WHERE enabled = 1").all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** False if there are already `capacity` webhooks. */
export async function insertWebhook(database: Database, webhook: Webhook, capacity: number): Promise<boolean> {
  const { meta } = await database
    .prepare(
      `INSERT INTO webhooks (id, url, description, actions, domains, classes, enabled, disabled_reason, disabled_at,
         created_by, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, ?11, ?12, ?5, ?6, ?7, ?8, ?9, ?9 WHERE (SELECT count(*) FROM webhooks) < ?10`,
    )
    .bind(
      webhook.id,
      webhook.url,
      webhook.description,
      JSON.stringify(webhook.actions),
      webhook.enabled ? 1 : 0,
      webhook.disabledReason,
      webhook.disabledAt,
      webhook.createdBy,
      webhook.createdAt,
      capacity,
      JSON.stringify(webhook.domains),
      JSON.stringify(webhook.classes),
    )
    .run();
  return meta.changes > 0;
}

export type WebhookChange = Partial<
  Pick<Webhook, "url" | "description" | "actions" | "domains" | "classes" | "enabled">
>;

/** Undefined if there is no such webhook. Omitted members stay unchanged. */
export async function updateWebhook(
  database: Database,
  id: string,
  { url, description, actions, domains, classes, enabled }: WebhookChange,
  now: number,
): Promise<Webhook | undefined> {
  const row = await database
    .prepare(
      `UPDATE webhooks SET url = coalesce(?2, url), description = CASE ?3 WHEN 1 THEN ?4 ELSE description END,
         actions = coalesce(?5, actions), domains = coalesce(?8, domains), classes = coalesce(?9, classes),
         enabled = coalesce(?6, enabled),
         disabled_reason = CASE WHEN ?6 IS NULL OR ?6 = enabled THEN disabled_reason WHEN ?6 = 0 THEN 'operator' END,
         disabled_at = CASE WHEN ?6 IS NULL OR ?6 = enabled THEN disabled_at WHEN ?6 = 0 THEN ?7 END, updated_at = ?7
       WHERE id = ?1 RETURNING *`,
    )
    .bind(
      id,
      url ?? null,
      description === undefined ? 0 : 1,
      description ?? null,
      listed(actions),
      enabled === undefined ? null : Number(enabled),
      now,
      listed(domains),
      listed(classes),
    )
    .first<WebhookRow>();
  return row === null ? undefined : webhookOf(row);
}

/** The column value; null to leave the list unchanged. */
function listed(texts: readonly string[] | undefined): string | null {
  return texts === undefined ? null : JSON.stringify(texts);
}

/** Disabled automatically, until an admin enables it. */
export async function disableWebhook(
  database: Database,
  id: string,
  reason: DisabledReason,
  now: number,
): Promise<void> {
  await database
    .prepare(
      `UPDATE webhooks SET enabled = 0, disabled_reason = ?2, disabled_at = ?3, updated_at = ?3
       WHERE id = ?1 AND enabled = 1`,
    )
    .bind(id, reason, now)
    .run();
}

/** False if there is no such webhook. */
export async function removeWebhook(database: Database, id: string): Promise<boolean> {
  const { meta } = await database.prepare("DELETE FROM webhooks WHERE id = ?").bind(id).run();
  return meta.changes > 0;
}

function webhookOf(row: WebhookRow): Webhook {
  const named = readTexts(row.actions, "list of actions");
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    actions: domainActions.filter((action) => named.includes(action)),
    domains: readTexts(row.domains, "list of domains"),
    classes: readTexts(row.classes, "list of classes"),
    enabled: row.enabled === 1,
    disabledReason: row.disabled_reason,
    disabledAt: row.disabled_at,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
