/** A domain as a Markdown file: the record as YAML front matter, followed by a text for people. */
import type { JsonObject } from "../../../platform/json.ts";
import { failure, type Result } from "../../../platform/result.ts";
import { failureOfDetails } from "../failures.ts";
import type { DomainRecord } from "./domain.ts";
import { metadataMember } from "./members.ts";
import { readShape } from "./shape.ts";
import { readYaml, writeYaml } from "./yaml-text.ts";

/** Maximum bytes of a file. The metadata in it has its own limit. */
export const DOMAIN_MD_BYTES = 1024 * 1024;

/** The member of the front matter with facts of the record. It is not metadata and is ignored on reading. */
const FACTS = "_domain";
/** Metadata with that name, or with a name made from it, gets one more underscore in the file. */
const NEAR_FACTS = /^_+domain$/;

export function writeDomainMd(record: DomainRecord): string {
  const { metadata } = record;
  const { body, ...rest } = metadata;
  const usual = usualBody(record.id, metadata);
  // A body that would not be read back as a body stays in the front matter.
  const isOwn = typeof body === "string" && body !== "" && body !== usual;
  const front = { [FACTS]: factsOf(record), ...renamed(isOwn ? rest : metadata, (name) => `_${name}`) };
  return `---\n${writeYaml(front)}---\n\n${isOwn ? body : usual}\n`;
}

function factsOf(record: DomainRecord): JsonObject {
  return {
    id: record.id,
    type: record.type,
    class: record.class,
    controllers: record.controllers,
    status: record.status,
    verificationStatus: record.verificationStatus,
    verifiedVersion: record.verifiedVersion,
    changedSinceVerification: record.changedSinceVerification,
    validFrom: record.validFrom,
    validUntil: record.validUntil,
    version: record.version,
    versionId: record.versionId,
    updatedAt: record.updatedAt,
  };
}

/** The text of a domain without a body. */
function usualBody(id: string, { name, description }: JsonObject): string {
  const title = typeof name === "string" && markdownText(name) !== "" ? name : id;
  const text = typeof description === "string" ? markdownText(description) : "";
  return [`# ${markdownText(title)}`, ...(text === "" ? [] : [text])].join("\n\n");
}

/** The metadata in the file. */
export function readDomainMd(text: string, id: string): Result<JsonObject> {
  const parts = partsOf(text);
  if (parts === undefined) return refusal("", "The file must begin with front matter between two lines of ---");
  const read = readYaml(parts.front);
  if (!read.ok) return refusal("", `The front matter ${read.error}`);
  const { [FACTS]: facts, ...front } = read.value;
  if (isOfAnother(facts, id)) return refusal(`/${FACTS}/id`, "The file belongs to another domain");
  const named = renamed(front, (name) => name.slice(1));
  const isUsual = parts.body === "" || parts.body === usualBody(id, named);
  if (!isUsual && Object.hasOwn(named, "body")) {
    return refusal("/body", "The text after the front matter is the body; remove it from the front matter");
  }
  const metadata = readShape(metadataMember, isUsual ? named : { ...named, body: parts.body }, "/metadata");
  return metadata.ok ? metadata : failure(failureOfDetails(metadata.error));
}

function refusal(pointer: string, message: string) {
  return failure(failureOfDetails([{ pointer, reason: "format", message }]));
}

/** One blank line before the body and one line break after it belong to the file and not to the body. */
function partsOf(text: string): { readonly front: string; readonly body: string } | undefined {
  const opening = /^---[ \t]*(\r?)\n/.exec(text);
  if (opening === null) return undefined;
  // A Windows file has CRLF everywhere; in one of our files a carriage return is part of the body.
  const lines = opening[1] === "\r" ? text.replaceAll("\r\n", "\n") : text;
  const rest = lines.slice(lines.indexOf("\n") + 1);
  const closing = /^---[ \t]*(?:\n|$(?![\s\S]))/m.exec(rest);
  if (closing === null) return undefined;
  const body = rest.slice(closing.index + closing[0].length).replace(/^\n/, "");
  return { front: rest.slice(0, closing.index), body: body.replace(/\n$/, "") };
}

function isOfAnother(facts: unknown, id: string): boolean {
  if (typeof facts !== "object" || facts === null || !("id" in facts)) return false;
  return facts.id !== id;
}

function renamed(members: JsonObject, rename: (name: string) => string): JsonObject {
  const entries = Object.entries(members).map(([name, value]) => [NEAR_FACTS.test(name) ? rename(name) : name, value]);
  return Object.fromEntries(entries) as JsonObject;
}

/** The punctuation of ASCII; a backslash can escape each character (CommonMark 2.4). */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
/** Characters with a meaning in HTML are written as entities, for renderers that do not support backslash escapes. */
const entities: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" };
const SPACE_OR_CONTROL = /[\s\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** On one line. */
function markdownText(text: string): string {
  return text
    .replaceAll(SPACE_OR_CONTROL, " ")
    .trim()
    .replaceAll(PUNCTUATION, (character) => entities[character] ?? `\\${character}`);
}
