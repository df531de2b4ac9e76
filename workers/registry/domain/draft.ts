/**
 * What a client may send about a domain, read from a body: single members first,
 * then what only the whole shows. Creation and update share it.
 */
import * as z from "zod";
import type { FailureDetail } from "../../../platform/failure.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { documentMember } from "./document.ts";
import type { DomainRecord } from "./domain.ts";
import { sameJson } from "./json-values.ts";
import {
  accountsMember,
  classMember,
  controllersMember,
  credentialsMember,
  didMember,
  externalIdMember,
  metadataMember,
  timeMember,
  typeMember,
} from "./members.ts";
import { readShape } from "./shape.ts";
import { millisecondsOf } from "./time.ts";

/** Members of which creation and update hold alike; null means none, or empty. */
const commonMembers = {
  validFrom: timeMember.nullish(),
  validUntil: timeMember.nullish(),
  relayerNode: didMember.nullish(),
  externalId: externalIdMember.nullish(),
  credentials: credentialsMember.nullish(),
  accounts: accountsMember.nullish(),
  document: documentMember.nullish(),
};

export const creationMembers = z.object({
  type: typeMember,
  class: classMember,
  controllers: controllersMember.optional(),
  metadata: metadataMember.optional(),
  status: z.preprocess(lowerCase, z.literal("active", { error: "must be active in a new domain" })).optional(),
  ...commonMembers,
});

export const updateMembers = z.object({
  class: classMember.optional(),
  controllers: controllersMember.optional(),
  metadata: metadataMember.optional(),
  status: z
    .preprocess(
      lowerCase,
      z.enum(["active", "suspended"], { error: "must be active or suspended; DELETE deactivates a domain" }),
    )
    .optional(),
  ...commonMembers,
});

function lowerCase(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

/** Two names of one member: `class` wins when both say the same, and both at odds are a fault at both. */
export const secondNames = {
  class: ["protocol", classMember],
  controllers: ["controller", controllersMember],
} as const;

export interface Unaliased {
  readonly body: JsonObject;
  readonly details: readonly FailureDetail[];
}

/** The body with first names only. */
export function withFirstNames(body: JsonObject): Unaliased {
  const { protocol, controller, ...rest } = body;
  const details = Object.entries(secondNames).flatMap(([first, [second, member]]): FailureDetail[] => {
    if (!Object.hasOwn(body, first) || !Object.hasOwn(body, second)) return [];
    const [one, other] = [readShape(member, body[first]), readShape(member, body[second])];
    // A wrong one is reported by its own rule.
    if (!one.ok || (other.ok && sameJson(one.value, other.value))) return [];
    const message = `${first} and ${second} are two names of the same member; send one of them, or the same value in both`;
    return [first, second].map((name) => ({
      pointer: `/${name}`,
      reason: first === "class" ? "class_conflict" : "format",
      message,
    }));
  });
  return {
    details,
    body: {
      ...(protocol === undefined ? {} : { class: protocol }),
      ...(controller === undefined ? {} : { controllers: controller }),
      ...rest,
    },
  };
}

/** The order of the two times; either may be open. */
export function detailsOfValidity({
  validFrom,
  validUntil,
}: Pick<DomainRecord, "validFrom" | "validUntil">): readonly FailureDetail[] {
  if (validFrom === null || validUntil === null || millisecondsOf(validFrom) < millisecondsOf(validUntil)) return [];
  return [{ pointer: "/validUntil", reason: "order", message: "validUntil must be later than validFrom" }];
}
