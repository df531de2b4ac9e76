/** A key as an operator reads it, never with its secret, and the filters of the list. */
import * as z from "zod";
import { success, type Result } from "../../../platform/result.ts";
import { isDid } from "../../did.ts";
import { printTime } from "../../domain/time.ts";
import { refused } from "../../failures.ts";
import { keyStates, type KeyFilter, type KeyRecord } from "../../store/key-store.ts";

export function representationOf({ createdAt, expiresAt, lastUsedAt, revokedAt, replacedBy, ...same }: KeyRecord) {
  return {
    ...same,
    createdAt: printTime(createdAt),
    expiresAt: printed(expiresAt),
    lastUsedAt: printed(lastUsedAt),
    revokedAt: printed(revokedAt),
    replacedBy,
  };
}

function printed(time: number | null): string | null {
  return time === null ? null : printTime(time);
}

const states = z.array(z.enum(keyStates));

/** `state` may be repeated, or hold a comma list. */
export function keyFilterOf(parameters: URLSearchParams): Result<KeyFilter> {
  const named = parameters.getAll("state").flatMap((text) => text.split(","));
  const checked = states.safeParse(named);
  if (!checked.success) return badFilter("state", `must be one of ${keyStates.join(", ")}`, "range");
  const did = parameters.get("did");
  if (did !== null && !isDid(did)) return badFilter("did", "must be a DID", "invalid_did");
  return success({ did, states: checked.data });
}

function badFilter(parameter: string, rule: string, reason: "range" | "invalid_did") {
  const message = `${parameter} ${rule}`;
  const details = [{ parameter, reason, message }];
  return refused(reason === "invalid_did" ? reason : "validation_failed", message, { details });
}
