/** The descriptions of the key routes; their handlers stand in `../api-keys.ts`. */
import * as z from "zod";
import type { Operation } from "../../../platform/openapi.ts";
import {
  did,
  keyedProblems,
  keyedSecurity,
  operatorSecurity,
  pageOf,
  pageParameters,
  problems,
  time,
} from "../../description.ts";
import type { RegistryReason } from "../../failures.ts";
import { roles, scopes } from "../../scopes.ts";
import { keyStates } from "../../store/key-store.ts";
import { keyBody, rotationBody } from "./bodies.ts";

const tag = "API keys";
const security = operatorSecurity;
const params = z.object({ keyId: z.string() });

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
    lastUsedAt: time.nullable().meta({ description: "To the minute." }),
    revokedAt: time.nullable(),
    replacedBy: z.string().nullable(),
  })
  .meta({ id: "ApiKey" });

const issuedKey = keyRecord
  .extend({ key: z.string().meta({ description: "The secret. It is told here and never again." }) })
  .meta({ id: "IssuedApiKey" });

const content = { schema: keyRecord };
const headers = { Location: "The key" };
const operatorProblems = (...codes: readonly RegistryReason[]) =>
  problems(
    "idempotency_not_supported",
    "unauthenticated",
    "invalid_token",
    "rate_limited",
    "internal",
    "unavailable",
    ...codes,
  );
const bodyProblems: readonly RegistryReason[] = [
  "malformed_json",
  "validation_failed",
  "unknown_field",
  "invalid_did",
  "body_too_large",
  "unsupported_media_type",
];

export const createKey: Operation = {
  method: "post",
  path: "/v1/api-keys",
  id: "createApiKey",
  summary: "Issue a key",
  tag,
  security,
  body: {
    schema: keyBody(0),
    example: { label: "Field app", did: "did:web:example.org", scopes: ["domains:read", "domains:write"] },
  },
  responses: {
    201: { description: "The key with its secret", content: { schema: issuedKey }, headers },
    ...operatorProblems(...bodyProblems),
  },
};

export const listAllKeys: Operation = {
  method: "get",
  path: "/v1/api-keys",
  id: "listApiKeys",
  summary: "List keys, newest first",
  tag,
  security,
  query: z.object({
    ...pageParameters,
    did: did.optional(),
    state: z.enum(keyStates).optional().meta({ description: "May be repeated, or hold a comma list." }),
  }),
  responses: {
    200: { description: "One page", content: { schema: pageOf(keyRecord) }, headers: { Link: "The next page" } },
    ...operatorProblems("validation_failed", "invalid_did", "invalid_cursor", "invalid_page_size", "unknown_parameter"),
  },
};

export const readOwnKey: Operation = {
  method: "get",
  path: "/v1/api-keys/current",
  id: "getCurrentApiKey",
  summary: "What the presented key is",
  description: "A key that the configuration brings has only `id`, `did`, `role` and `scopes`.",
  tag,
  security: keyedSecurity,
  responses: {
    200: { description: "The key, without its secret", content: { schema: keyRecord.partial() } },
    ...keyedProblems("idempotency_not_supported"),
  },
};

export const getKey: Operation = {
  method: "get",
  path: "/v1/api-keys/:keyId",
  id: "getApiKey",
  summary: "One key",
  tag,
  security,
  params,
  responses: {
    200: { description: "The key, without its secret", content },
    ...operatorProblems("unknown_parameter", "not_found"),
  },
};

export const deleteKey: Operation = {
  method: "delete",
  path: "/v1/api-keys/:keyId",
  id: "revokeApiKey",
  summary: "Revoke a key at once; its record is kept",
  tag,
  security,
  params,
  responses: { 204: { description: "Revoked, now or before" }, ...operatorProblems("not_found") },
};

export const rotateOldKey: Operation = {
  method: "post",
  path: "/v1/api-keys/:keyId/rotate",
  id: "rotateApiKey",
  summary: "Issue a successor; the old key goes on for a while",
  tag,
  security,
  params,
  body: { schema: rotationBody, example: { overlapSeconds: 3600 } },
  responses: {
    201: { description: "The new key with its secret", content: { schema: issuedKey }, headers },
    ...operatorProblems(...bodyProblems, "not_found", "key_not_rotatable"),
  },
};
