/**
 * Columns of JSON that decide something: who may do what, who has won, what was verified, what goes out again. They are
 * parsed when they are read, so that a damaged row fails by name and decides nothing.
 */
import * as z from "zod";
import { parseStoredJson } from "../../platform/stored-json.ts";
import { markedMembers, type ContentDigests } from "../domain/content.ts";
import { serviceNames, type ServiceName, type ServiceState } from "../domain/domain.ts";
import { votingRulesSchema, type VotingRules } from "../governance/voting-rules.ts";
import { scopes, type Scope } from "../scopes.ts";
import type { StoredAnswer } from "./idempotency-store.ts";

const texts = z.array(z.string());
const scopeList = z.array(z.enum(scopes));
const digests = z.record(z.enum(markedMembers), z.string()) satisfies z.ZodType<ContentDigests>;
const services = z.record(
  z.enum(serviceNames),
  z.object({
    enabled: z.boolean(),
    enabledAt: z.string().nullable(),
    disabledAt: z.string().nullable(),
    disabledReason: z.string().nullable(),
  }),
) satisfies z.ZodType<Readonly<Record<ServiceName, ServiceState>>>;
const answer = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
}) satisfies z.ZodType<StoredAnswer>;

/** `what` names the column in the error. */
export const readTexts = (text: string, what: string): readonly string[] => parseStoredJson(texts, text, what);

export const readScopes = (text: string): readonly Scope[] => parseStoredJson(scopeList, text, "list of scopes");

export const readRules = (text: string): VotingRules => parseStoredJson(votingRulesSchema, text, "voting rule");

export const readDigests = (text: string): ContentDigests => parseStoredJson(digests, text, "digest of content");

export const readServices = (text: string): Readonly<Record<ServiceName, ServiceState>> =>
  parseStoredJson(services, text, "state of services");

export const readAnswer = (text: string): StoredAnswer => parseStoredJson(answer, text, "answer");
