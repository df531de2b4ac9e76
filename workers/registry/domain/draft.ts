/**
 * The members of a domain that a client may send, parsed from a body: first each member, then conditions across
 * members. Shared by creation and update.
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

/** Members with equal rules in creation and update. Null means none, or empty. */
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

/** Two names of one member. `class` wins if both have one value; if the values differ, both are faults. */
export const secondNames = {
  class: ["protocol", classMember],
  controllers: ["controller", controllersMember],
} as const;

export interface Unaliased {
  readonly body: JsonObject;
  readonly details: readonly FailureDetail[];
}

/** The body with primary names only. */
export function withFirstNames(body: JsonObject): Unaliased {
  const { protocol, controller, ...rest } = body;
  const details = Object.entries(secondNames).flatMap(([first, [second, member]]): FailureDetail[] => {
    if (!Object.hasOwn(body, first) || !Object.hasOwn(body, second)) return [];
    const [one, other] = [readShape(member, body[first]), readShape(member, body[second])];
    // An invalid value is reported by its own rule.
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

/** Checks the order of the two times; either may be absent. */
export function detailsOfValidity({
  validFrom,
  validUntil,
}: Pick<DomainRecord, "validFrom" | "validUntil">): readonly FailureDetail[] {
  if (validFrom === null || validUntil === null || millisecondsOf(validFrom) < millisecondsOf(validUntil)) return [];
  return [{ pointer: "/validUntil", reason: "order", message: "validUntil must be later than validFrom" }];
}
