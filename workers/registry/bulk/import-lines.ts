/**
 * A request's lines: numbered, bounded, and each one read by the rules for creating a domain. In addition to
 * the members of a new domain, a line may name the domain's owner.
 */
import { failure, success, type Result } from "../../../platform/result.ts";
import { createDomain, type Birth } from "../domain/creation.ts";
import type { DomainStep } from "../domain/domain.ts";
import { ignoredMembers, type IgnoredMembers } from "../domain/ignored-members.ts";
import { didMember } from "../domain/members.ts";
import { jsonObjectOf, readShape } from "../domain/shape.ts";
import { BODY_BYTES } from "../limits.ts";
import { refused, failureOfDetails } from "../failures.ts";

/** Lines of one request: about a second of work, and what a client loses at most when it is cut off. */
export const REQUEST_LINES = 1_000;
/** Bytes of one request; a sixteenth of an isolate's memory is far away even when all of it is parsed. */
export const REQUEST_BYTES = 4 * 1024 * 1024;

export interface NumberedLine {
  /** From 1, in the client's file. */
  readonly number: number;
  readonly text: string;
}

/** Blank lines have a number too and are left out; what ends the last line begins no other. */
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
  /** The DID of the importing key: the domain's owner unless the line names one, and who did it in any case. */
  readonly importer: string;
  /** What the history says of it. */
  readonly reason: string;
}

const owned = didMember.optional();

/** A line that can become a domain. */
export interface ReadLine {
  readonly step: DomainStep;
  /** Its members that mean nothing. */
  readonly ignored: IgnoredMembers;
}

/** The domain's first version, or every fault of the line at once. */
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
