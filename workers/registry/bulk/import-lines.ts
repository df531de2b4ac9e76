/**
 * The lines of an import request: numbered, bounded, and each parsed by the rules for creating a domain. A line may
 * also name the domain's owner.
 */
import { failure, success, type Result } from "../../../platform/result.ts";
import { createDomain, type Birth } from "../domain/creation.ts";
import type { DomainStep } from "../domain/domain.ts";
import { ignoredMembers, type IgnoredMembers } from "../domain/ignored-members.ts";
import { didMember } from "../domain/members.ts";
import { jsonObjectOf, readShape } from "../domain/shape.ts";
import { BODY_BYTES } from "../limits.ts";
import { refused, failureOfDetails } from "../failures.ts";

/** Lines per request: about a second of work, and the most that a client loses if its connection breaks. */
export const REQUEST_LINES = 1_000;
/** Bytes per request. Even fully parsed, this is far below a sixteenth of an isolate's memory. */
export const REQUEST_BYTES = 4 * 1024 * 1024;

export interface NumberedLine {
  /** The number in the client's file, from 1. */
  readonly number: number;
  readonly text: string;
}

/** Blank lines are counted and skipped. The line break that ends the last line starts no new line. */
export function numberedLines(text: string, first: number): Result<readonly NumberedLine[]> {
  const texts = text.replace(/\r?\n$/, "").split("\n", REQUEST_LINES + 1);
  if (texts.length > REQUEST_LINES) {
    return refused("body_too_large", `The body must not have more than ${REQUEST_LINES} lines`);
  }
  return success(
    texts.flatMap((line, at) => {
      const trimmed = line.trim();
      return trimmed === "" ? [] : [{ number: first + at, text: trimmed }];
    }),
  );
}

export interface LineBirth extends Omit<Birth, "creator"> {
  /**
   * The DID of the importing key. It becomes the owner of each domain whose line names no owner, and is always the
   * actor.
   */
  readonly importer: string;
  /** The reason that the domain's history shows. */
  readonly reason: string;
}

const owned = didMember.optional();

/** A line that can become a domain. */
export interface ReadLine {
  readonly step: DomainStep;
  /** The members of the line that have no meaning. */
  readonly ignored: IgnoredMembers;
}

/** The domain's first version, or all faults of the line. */
export async function readLine(
  text: string,
  { id, at, relayerNode, importer, reason }: LineBirth,
): Promise<Result<ReadLine>> {
  if (text.length > BODY_BYTES || new TextEncoder().encode(text).byteLength > BODY_BYTES) {
    return refused("body_too_large", `The line must not be larger than ${BODY_BYTES} bytes`);
  }
  const sent = jsonObjectOf(text, "The line");
  if (!sent.ok) return sent;
  const owner = readShape(owned, sent.value["owner"], "/owner");
  const creator = (owner.ok ? owner.value : undefined) ?? importer;
  const step = await createDomain(sent.value, { id, creator, at, relayerNode });
  if (!owner.ok) return failure(failureOfDetails([...owner.error, ...(step.ok ? [] : (step.error.details ?? []))]));
  if (!step.ok) return step;
  return success({ step: { ...step.value, actor: importer, reason }, ignored: ignoredMembers(sent.value, ["owner"]) });
}
