/**
 * Key management, for the operator only, and a key's view of itself. The secret is only in the response that creates
 * it. Nothing is stored for a replay, so Idempotency-Key is refused.
 */
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { did, time } from "../domain/domain-schema.ts";
import { failsWith } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import { failure } from "../../../platform/result.ts";
import { didForm, isDid } from "../did.ts";
import { wellFormed } from "../domain/shape.ts";
import { parseTime, printTime, timeForm } from "../domain/time.ts";
import { refuse, type RegistryHono } from "../context.ts";
import { registryFailure } from "../failures.ts";
import { noteChange } from "../http/audited.ts";
import { keyed, operatorOnly } from "../http/authentication.ts";
import { firstOf, pageFrom, pageParameters, pageResponse, replyPage } from "../http/pages.ts";
import { checkedBody, route } from "../http/route.ts";
import { issueKey, rotateKey } from "../keys/issue-key.ts";
import { SMALL_BODY_BYTES } from "../limits.ts";
import { cursorOf } from "../lists/cursor.ts";
import { roles, scopes } from "../caller.ts";
import { keyStates, listKeys, readKey, revokeKey, type KeyFilter, type KeyRecord } from "../store/key-store.ts";

/** Characters. */
const LONGEST_LABEL = 200;
/** Seconds: a week, long enough to update every machine with the old key. */
const LONGEST_OVERLAP = 604_800;
/** Seconds: a day. */
const USUAL_OVERLAP = 86_400;

const tag = "API keys";
const params = z.object({ keyId: z.string() });
const unknownKey = registryFailure("not_found", "There is no such key");

const keyRecord = z
  .object({
    id: z.string(),
    label: z.string(),
    environment: z.enum(["live", "test"]),
    start: z.string().meta({ description: "The first 13 characters, to tell keys apart." }),
    did,
    role: z.enum(roles).nullable(),
    scopes: z.array(z.enum(scopes)),
    createdAt: time,
    expiresAt: time.nullable(),
    lastUsedAt: time.nullable().meta({ description: "Accurate to the minute." }),
    revokedAt: time.nullable(),
    replacedBy: z.string().nullable(),
  })
  .meta({ id: "ApiKey" });
const issuedKey = keyRecord
  .extend({ key: z.string().meta({ description: "The secret. Only this response contains it." }) })
  .meta({ id: "IssuedApiKey" });
const issued = {
  201: { description: "The key with its secret", content: { schema: issuedKey }, headers: { Location: "The key" } },
};

/** `now` in milliseconds since 1970: a key that has already expired would be useless. */
function keyBody(now: number) {
  return z
    .strictObject({
      label: z.string().trim().min(1).max(LONGEST_LABEL).check(wellFormed),
      did: z
        .string()
        .refine(isDid, { error: "must be a DID", params: { reason: "invalid_did" } })
        .meta(didForm),
      scopes: z
        .array(z.enum(scopes))
        .min(1)
        .transform((named) => scopes.filter((scope) => named.includes(scope))),
      role: z.enum(roles).nullable().default(null),
      expiresAt: z
        .string()
        .nullable()
        .default(null)
        .transform((text, context): number | null => {
          if (text === null) return null;
          const end = parseTime(text)?.milliseconds;
          if (end !== undefined && end > now) return end;
          const [reason, message] =
            end === undefined ? ["format", "must be an RFC 3339 time"] : ["range", "must be in the future"];
          context.addIssue({ code: "custom", message, params: { reason } });
          return z.NEVER;
        })
        .meta(timeForm),
    })
    .refine((key) => key.role !== null || !key.scopes.includes("verification:propose"), {
      path: ["role"],
      error: "is required for the scope verification:propose",
      params: { reason: "required" },
    });
}

const rotationBody = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(LONGEST_OVERLAP)
    .default(USUAL_OVERLAP)
    .meta({ description: "How long the old key stays valid after the rotation." }),
});

const didRule = "did must be a DID";
const listQuery = z.object({
  did: failsWith(
    z.preprocess(firstOf, z.string().refine(isDid).optional()).meta({ description: "A DID." }),
    registryFailure("invalid_did", didRule, {
      details: [{ parameter: "did", reason: "invalid_did", message: didRule }],
    }),
  ),
  state: z
    .preprocess(commaList, z.array(z.enum(keyStates, { error: `must be one of ${keyStates.join(", ")}` })).optional())
    .meta({ description: "Can be repeated, or contain several values separated by commas." }),
  ...pageParameters,
});

function commaList(value: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap(commaList);
  return typeof value === "string" ? value.split(",") : value;
}

/** These responses must not be cached, and are not replayed. */
const noStore = createMiddleware<RegistryHono>(async (c, next) => {
  if (c.req.header("Idempotency-Key") === undefined) await next();
  else {
    const message = "A secret is never stored for a replay; omit Idempotency-Key";
    const details = [{ header: "Idempotency-Key", reason: "idempotency_not_supported", message }];
    c.res = refuse(c, registryFailure("idempotency_not_supported", message, { details }));
  }
  c.res.headers.set("Cache-Control", "no-store");
});
const shared = { tag, auth: operatorOnly, middleware: [noStore] };

const readOwn = route(
  {
    ...shared,
    method: "get",
    path: "/v1/api-keys/current",
    id: "getCurrentApiKey",
    summary: "Get the current API key",
    description: "A key from the configuration has only `id`, `did`, `role` and `scopes`.",
    auth: keyed(),
    responses: { 200: { description: "The key, without its secret", content: { schema: keyRecord.partial() } } },
    failures: ["idempotency_not_supported"],
  },
  async ({ caller: { keyId, did: owner, role, scopes: held } }, c) => {
    const key = await readKey(c.var.runtime.database, keyId);
    // A bootstrap key has no record.
    return reply(key === undefined ? { id: keyId, did: owner, role, scopes: held } : representationOf(key));
  },
);

const create = route(
  {
    ...shared,
    method: "post",
    path: "/v1/api-keys",
    id: "createApiKey",
    summary: "Issue a key",
    body: {
      form: keyBody(0),
      read: (body, c) => checkedBody(keyBody(c.var.runtime.clock()), body),
      limit: SMALL_BODY_BYTES,
      example: { label: "Field app", did: "did:web:example.org", scopes: ["domains:read", "domains:write"] },
    },
    responses: issued,
    failures: ["idempotency_not_supported", "unknown_field", "invalid_did"],
  },
  async ({ body }, c) => {
    const sent = await body();
    if (!sent.ok) return sent;
    const environment = c.var.runtime.config.REGISTRY_KEY_ENVIRONMENT;
    const { key, record } = await issueKey(c.var.runtime, { ...sent.value, environment });
    noteChange(c, { subject: record.id, after: rightsOf(record) });
    c.env.log.info("key-issued", { key: record.id, did: record.did, scopes: record.scopes.join(" ") });
    return replyIssued(record, key);
  },
);

const list = route(
  {
    ...shared,
    method: "get",
    path: "/v1/api-keys",
    id: "listApiKeys",
    summary: "List keys, newest first",
    query: listQuery,
    responses: pageResponse(keyRecord),
    failures: ["idempotency_not_supported", "invalid_cursor"],
  },
  async ({ query: { did: owner = null, state: states = [], limit, cursor } }, c) => {
    const filter: KeyFilter = { did: owner, states };
    const cursors = cursorOf(["api-keys", filter]);
    const after = cursors.read(cursor, z.tuple([z.int(), z.string()]));
    if (!after.ok) return after;
    const position = after.value === null ? null : { createdAt: after.value[0], id: after.value[1] };
    const { database, clock } = c.var.runtime;
    const keys = await listKeys(database, filter, { position, limit: limit + 1, now: clock() });
    const endsAt = ({ createdAt, id }: KeyRecord) => [createdAt, id];
    return replyPage(c, pageFrom(keys, { limit, show: representationOf, cursors, position: endsAt }));
  },
);

const read = route(
  {
    ...shared,
    method: "get",
    path: "/v1/api-keys/:keyId",
    id: "getApiKey",
    summary: "Get a key",
    params,
    responses: { 200: { description: "The key, without its secret", content: { schema: keyRecord } } },
    failures: ["idempotency_not_supported", "not_found"],
  },
  async ({ params: { keyId } }, c) => {
    const key = await readKey(c.var.runtime.database, keyId);
    return key === undefined ? failure(unknownKey) : reply(representationOf(key));
  },
);

const revoke = route(
  {
    ...shared,
    method: "delete",
    path: "/v1/api-keys/:keyId",
    id: "revokeApiKey",
    summary: "Revoke a key at once and keep its record",
    params,
    responses: { 204: { description: "Revoked, now or earlier" } },
    failures: ["idempotency_not_supported", "not_found"],
  },
  async ({ params: { keyId } }, c) => {
    const { database, clock } = c.var.runtime;
    if (!(await revokeKey(database, keyId, clock()))) return failure(unknownKey);
    noteChange(c, { after: { revoked: true } });
    c.env.log.info("key-revoked", { key: keyId });
    return reply(undefined, { status: 204 });
  },
);

const rotate = route(
  {
    ...shared,
    method: "post",
    path: "/v1/api-keys/:keyId/rotate",
    id: "rotateApiKey",
    summary: "Rotate a key; the old key stays valid for a while",
    params,
    body: { schema: rotationBody, example: { overlapSeconds: 3600 }, limit: SMALL_BODY_BYTES, optional: true },
    responses: issued,
    failures: ["idempotency_not_supported", "unknown_field", "not_found", "key_not_rotatable"],
  },
  async ({ params: { keyId }, body }, c) => {
    const { database, clock } = c.var.runtime;
    const old = await readKey(database, keyId);
    if (old === undefined) return failure(unknownKey);
    const sent = await body();
    if (!sent.ok) return sent;
    const rotated = await rotateKey(c.var.runtime, old, sent.value.overlapSeconds * 1000, clock());
    if (!rotated.ok) return rotated;
    const { key, record } = rotated.value;
    noteChange(c, { after: { replacedBy: record.id } });
    c.env.log.info("key-rotated", { key: old.id, replacedBy: record.id });
    return replyIssued(record, key);
  },
);

export const apiKeyRoutes = [readOwn, create, list, read, revoke, rotate];

function rightsOf({ did: owner, role, scopes: held, expiresAt }: KeyRecord) {
  return { did: owner, role, scopes: held, expiresAt: printed(expiresAt) };
}

function replyIssued(record: KeyRecord, key: string) {
  const headers = { Location: `/v1/api-keys/${record.id}` };
  return reply({ ...representationOf(record), key }, { status: 201, headers });
}

/** A key as an operator reads it, without its secret. */
function representationOf({ createdAt, expiresAt, lastUsedAt, revokedAt, replacedBy, ...same }: KeyRecord) {
  return {
    ...same,
    createdAt: printTime(createdAt),
    expiresAt: printed(expiresAt),
    lastUsedAt: printed(lastUsedAt),
    revokedAt: printed(revokedAt),
    replacedBy,
  };
}

function printed(end: number | null): string | null {
  return end === null ? null : printTime(end);
}
