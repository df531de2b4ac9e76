/** The members of a domain as schemas, which also normalise. */
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../../../platform/json.ts";
import { didForm, didUrlForm, isDid, isDidUrl, LONGEST_DID } from "../did.ts";
import { credentialStatuses, type Credential } from "./domain.ts";
import { detailsOfMetadata } from "./metadata.ts";
import { rule, rules } from "./shape.ts";
import { parseTime, spacedTimeForm } from "./time.ts";

/** Code points, limits of the text that indexes and lists show. */
const TYPE_LENGTH = 64;
const EXTERNAL_ID_LENGTH = 128;
const ACCOUNT_NAME_LENGTH = 64;
const ADDRESS_LENGTH = 256;
/** Items. */
const CONTROLLERS = 16;
export const CREDENTIALS = 50;
export const ACCOUNTS = 50;

/** Control characters as a class for any regular expression, with or without Unicode classes. */
export const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`;
/**
 * Characters that are invisible or change the direction of the surrounding text, so that a text looks like another
 * text: soft hyphens, zero-width characters, direction marks, line and paragraph separators, fillers and tags.
 */
const INVISIBLE = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff`;
const unseen = new RegExp(`[${CONTROL}${INVISIBLE}]|[\\u{e0000}-\\u{e0fff}]`, "u");

/** A line of text of bounded length that is safe in a database and a log. */
function line(greatest: number) {
  return z
    .string()
    .check(
      rule(
        "length",
        `must have 1 to ${greatest} characters`,
        (text: string) => text !== "" && Array.from(text).length <= greatest,
      ),
      rule(
        "format",
        "must not contain control characters or invisible characters",
        (text: string) => text.isWellFormed() && !unseen.test(text),
      ),
    )
    .meta({ minLength: 1, maxLength: greatest, pattern: `^[^${CONTROL}${INVISIBLE}]*$` });
}

export const didMember = z
  .string()
  .check(rule("format", `must be a DID of at most ${LONGEST_DID} characters`, isDid))
  .meta({ ...didForm, example: "did:ixo:entity:0123456789abcdef0123456789abcdef" });

export const typeMember = z
  .string()
  .transform((text) => text.trim().normalize("NFC"))
  .pipe(line(TYPE_LENGTH))
  .meta({
    pattern: String.raw`\S`,
    description: `Free text of 1 to ${TYPE_LENGTH} characters; GET /v1/domain-types lists the known ones`,
    example: "Project",
  });

export const classMember = z
  .string()
  .transform((text) => text.trim())
  .pipe(z.string().check(rule("format", `must be a DID or a DID URL of at most ${LONGEST_DID} characters`, isDidUrl)))
  .meta({
    ...didUrlForm,
    description: "The protocol domain; `protocol` is its other name",
    example: "did:ixo:protocol/clean-cooking",
  });

export const jsonObject = z
  .custom<JsonObject>(isJsonObject, { error: "must be an object", params: { reason: "type" } })
  .meta({ type: "object", additionalProperties: true });

export const metadataMember = jsonObject.check(
  rules((metadata: JsonObject) => (isJsonObject(metadata) ? detailsOfMetadata(metadata) : [])),
);

const TIME_RULE = "must be an RFC 3339 time or date of the years 1970 to 9999, such as 2026-01-31T12:00:00Z";

export const timeMember = z
  .string()
  .transform((text, context) => {
    const instant = parseTime(text.trim());
    if (instant !== undefined) return instant.text;
    context.addIssue({ code: "custom", message: TIME_RULE, params: { reason: "format" } });
    return z.NEVER;
  })
  .meta({ ...spacedTimeForm, description: "RFC 3339; without a zone it is UTC", example: "2026-01-31T12:00:00Z" });

/** One DID is read as a list of one. Duplicates are removed, the order is kept. */
export const controllersMember = z.preprocess(
  (value) => (typeof value === "string" ? [value] : value),
  z
    .array(didMember)
    .min(1)
    .transform((dids) => [...new Set(dids)])
    .pipe(z.array(z.string()).max(CONTROLLERS)),
);

export const externalIdMember = line(EXTERNAL_ID_LENGTH).meta({
  description: "An id in another system, such as a serial number; not necessarily unique",
});

export const credentialsMember = z
  .array(
    z.preprocess(
      (value) => (typeof value === "string" ? { id: value } : value),
      z.object({
        id: line(LONGEST_DID),
        type: line(LONGEST_DID).default("VerifiableCredential"),
        status: z.enum(credentialStatuses).default("unknown"),
      }),
    ),
  )
  .max(CREDENTIALS) satisfies z.ZodType<readonly Credential[]>;

export const accountsMember = z
  .array(z.object({ name: line(ACCOUNT_NAME_LENGTH), address: line(ADDRESS_LENGTH) }))
  .max(ACCOUNTS)
  .check(
    rule("duplicate", "must not repeat a name", (accounts: readonly { name: string }[]) => isUnique(accounts, "name")),
  );

/** No two items share a value of `member`. */
export function isUnique<Member extends string>(items: readonly Readonly<Record<Member, unknown>>[], member: Member) {
  return new Set(items.map((item) => item[member])).size === items.length;
}
