/**
 * Key management, for the operator alone, and a key's view of itself (contract/registry.md section 9). The secret is in
 * the one answer that makes it; nothing is stored for a replay, so Idempotency-Key is refused.
 */
import { createMiddleware } from "hono/factory";
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type RegistryHono } from "../context.ts";
import { issueKey, rotateKey } from "../keys/issue-key.ts";
import { SMALL_BODY_BYTES } from "../limits.ts";
import { cursorOf } from "../lists/cursor.ts";
import { checkedBody } from "../middleware/checked-body.ts";
import { keyed, operatorOnly } from "../middleware/keyed.ts";
import { answerPage, pageFrom, pageLimitOf, queryOf, withoutParameters } from "../middleware/query.ts";
import { registryFailure } from "../failures.ts";
import { listKeys, readKey, revokeKey, type KeyRecord } from "../store/key-store.ts";
import { keyBody, rotationBody } from "./api-keys/bodies.ts";
import { createKey, deleteKey, getKey, listAllKeys, readOwnKey, rotateOldKey } from "./api-keys/operations.ts";
import { keyFilterOf, representationOf } from "./api-keys/records.ts";

export const apiKeyRoutes = new Hono<RegistryHono>();
export const apiKeyOperations: readonly Operation[] = [
  createKey,
  listAllKeys,
  readOwnKey,
  getKey,
  deleteKey,
  rotateOldKey,
];

const unknownKey = registryFailure("not_found", "There is no such key");

/** Around every route here: answers are never kept by anybody, and nothing is replayed. */
const secretive = createMiddleware<RegistryHono>(async (c, next) => {
  if (c.req.header("Idempotency-Key") === undefined) await next();
  else {
    const message = "A secret is never stored for a replay; leave Idempotency-Key out";
    const details = [{ header: "Idempotency-Key", reason: "idempotency_not_supported", message }];
    c.res = refuse(c, registryFailure("idempotency_not_supported", message, { details }));
  }
  c.res.headers.set("Cache-Control", "no-store");
});

apiKeyRoutes.get(readOwnKey.path, keyed(), secretive, async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const { keyId, did, role, scopes } = c.var.caller;
  const key = await readKey(c.var.runtime.database, keyId);
  // A bootstrap key has no record of its own.
  return c.json(key === undefined ? { id: keyId, did, role, scopes } : representationOf(key));
});

apiKeyRoutes.post(createKey.path, operatorOnly, withoutParameters, secretive, async (c) => {
  const { clock, config } = c.var.runtime;
  const body = await checkedBody(c, keyBody(clock()), { limit: SMALL_BODY_BYTES });
  if (!body.ok) return refuse(c, body.error);
  const { key, record } = await issueKey(c.var.runtime, {
    ...body.value,
    environment: config.REGISTRY_KEY_ENVIRONMENT,
  });
  c.env.log.info("key-issued", { key: record.id, did: record.did, scopes: record.scopes.join(" ") });
  return c.json({ ...representationOf(record), key }, 201, { Location: `/v1/api-keys/${record.id}` });
});

apiKeyRoutes.get(listAllKeys.path, operatorOnly, secretive, async (c) => {
  const query = queryOf(c, ["did", "state", "limit", "cursor"]);
  if (!query.ok) return refuse(c, query.error);
  const filter = keyFilterOf(query.value);
  if (!filter.ok) return refuse(c, filter.error);
  const limit = pageLimitOf(query.value);
  if (!limit.ok) return refuse(c, limit.error);
  const cursor = cursorOf(["api-keys", filter.value]);
  const position = cursor.read(query.value.get("cursor"), z.tuple([z.int(), z.string()]));
  if (!position.ok) return refuse(c, position.error);
  const { database, clock } = c.var.runtime;
  const [createdAt, id] = position.value ?? [];
  const after = createdAt === undefined || id === undefined ? null : { createdAt, id };
  const page = { position: after, limit: limit.value + 1, now: clock() };
  const keys = await listKeys(database, filter.value, page);
  const endsAt = (last: KeyRecord) => [last.createdAt, last.id];
  return answerPage(c, pageFrom(keys, { limit: limit.value, show: representationOf, cursor, position: endsAt }));
});

apiKeyRoutes.get(getKey.path, operatorOnly, secretive, async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const key = await readKey(c.var.runtime.database, c.req.param("keyId") ?? "");
  return key === undefined ? refuse(c, unknownKey) : c.json(representationOf(key));
});

apiKeyRoutes.delete(deleteKey.path, operatorOnly, withoutParameters, secretive, async (c) => {
  const { database, clock } = c.var.runtime;
  const id = c.req.param("keyId") ?? "";
  if (!(await revokeKey(database, id, clock()))) return refuse(c, unknownKey);
  c.env.log.info("key-revoked", { key: id });
  return c.body(null, 204);
});

apiKeyRoutes.post(rotateOldKey.path, operatorOnly, withoutParameters, secretive, async (c) => {
  const { database, clock } = c.var.runtime;
  const old = await readKey(database, c.req.param("keyId") ?? "");
  if (old === undefined) return refuse(c, unknownKey);
  const body = await checkedBody(c, rotationBody, { limit: SMALL_BODY_BYTES, optional: true });
  if (!body.ok) return refuse(c, body.error);
  const rotated = await rotateKey(c.var.runtime, old, body.value.overlapSeconds * 1000, clock());
  if (!rotated.ok) return refuse(c, rotated.error);
  const { key, record } = rotated.value;
  c.env.log.info("key-rotated", { key: old.id, replacedBy: record.id });
  return c.json({ ...representationOf(record), key }, 201, { Location: `/v1/api-keys/${record.id}` });
});
