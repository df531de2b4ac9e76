/**
 * The items of a domain's own document, one schema per list. An omitted text becomes `""`. Members that are not named
 * here are not part of the document.
 */
import * as z from "zod";
import type { JsonObject } from "../../../platform/json.ts";
import { isDid } from "../did.ts";
import type { ItemList } from "./domain.ts";
import { CONTROL, jsonObject } from "./members.ts";
import { detailsOfFreeJson } from "./metadata.ts";
import { rule, rules, wellFormed } from "./shape.ts";

const scheme = new RegExp(String.raw`^[A-Za-z][A-Za-z0-9+.-]*:[^\s${CONTROL}]+$`);

/** A URI in JSON Schema. */
const uriForm = { pattern: scheme.source };

export function isUri(text: string): boolean {
  return scheme.test(text) && text.isWellFormed();
}

const text = () => z.string().check(wellFormed);
const required = () =>
  text()
    .check(rule("length", "must not be empty", (value: string) => value !== ""))
    .meta({ minLength: 1 });
const optional = () => text().default("");

export const uri = z
  .string()
  .check(rule("format", "must be a URI, such as https://example.org/", isUri))
  .meta(uriForm);

/**
 * Members that a JWK has only if it contains a private or a symmetric key (RFC 7518 section 6). A document is public.
 */
const secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

const publicKeyJwk = jsonObject.check(
  rules(detailsOfFreeJson),
  rule("format", "must be a public key: private members must not be sent", (jwk: JsonObject) =>
    secretMembers.every((name) => !Object.hasOwn(jwk, name)),
  ),
  rule("required", "must have kty", (jwk: JsonObject) => typeof jwk["kty"] === "string"),
);

const base58 = "[1-9A-HJ-NP-Za-km-z]+";
const keyMembers = {
  publicKeyMultibase: pattern(/^[A-Za-z0-9][A-Za-z0-9+/=_-]+$/, "must be a multibase text"),
  publicKeyJwk,
  publicKeyBase58: pattern(new RegExp(`^${base58}$`), "must be base58"),
  publicKeyHex: pattern(/^(?:[0-9a-fA-F]{2})+$/, "must be hexadecimal"),
  blockchainAccountId: pattern(/^[-._:%a-zA-Z0-9]{1,256}$/, "must be a blockchain account id"),
};
const keyNames = Object.keys(keyMembers);

/** Placeholder for the domain's DID, which a client does not know before it creates the domain. */
export const OWN_ID = "{id}";

const verificationMethod = z.preprocess(
  acceptOtherSpelling,
  z
    .object({
      id: required(),
      type: required(),
      controller: z
        .string()
        .check(rule("format", "must be a DID, or {id} for the domain's own", (text) => text === OWN_ID || isDid(text)))
        .optional(),
      ...z.object(keyMembers).partial().shape,
    })
    .check(
      rule(
        "format",
        `must have exactly one of ${keyNames.join(", ")}`,
        (method: object) => keyNames.filter((name) => Object.hasOwn(method, name)).length === 1,
      ),
    ),
);

/** Public documents of the chain use the spelling `blockchainAccountID`. */
function acceptOtherSpelling(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "blockchainAccountID")) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]): [string, unknown] => [
      name === "blockchainAccountID" ? "blockchainAccountId" : name,
      member,
    ]),
  );
}

const claimMembers = {
  id: optional(),
  type: required(),
  description: optional(),
  serviceEndpoint: optional(),
  proof: optional(),
  // A text, as on the chain and in its clients.
  encrypted: z.enum(["true", "false"]).default("false"),
  right: optional(),
};

export const itemSchemas = {
  verificationMethod,
  service: z.object({ id: required(), type: required(), serviceEndpoint: uri }),
  linkedResource: z.object({
    id: claimMembers.id,
    type: claimMembers.type,
    description: claimMembers.description,
    mediaType: optional(),
    serviceEndpoint: claimMembers.serviceEndpoint,
    proof: claimMembers.proof,
    encrypted: claimMembers.encrypted,
    right: claimMembers.right,
  }),
  linkedClaim: z.object(claimMembers),
  linkedEntity: z.object({ id: optional(), type: required(), relationship: optional(), service: optional() }),
  accordedRight: z.object({
    id: optional(),
    type: required(),
    mechanism: optional(),
    message: optional(),
    service: optional(),
  }),
} satisfies Readonly<Record<ItemList, z.ZodType>>;

function pattern(form: RegExp, message: string) {
  return z
    .string()
    .check(rule("format", message, (value: string) => form.test(value)))
    .meta({ pattern: form.source });
}

const itemNames: Readonly<Record<ItemList, readonly string[]>> = {
  verificationMethod: ["id", "type", "controller", "blockchainAccountID", ...keyNames],
  service: Object.keys(itemSchemas.service.shape),
  linkedResource: Object.keys(itemSchemas.linkedResource.shape),
  linkedClaim: Object.keys(itemSchemas.linkedClaim.shape),
  linkedEntity: Object.keys(itemSchemas.linkedEntity.shape),
  accordedRight: Object.keys(itemSchemas.accordedRight.shape),
};

/** `""` if the item has no id. */
export function idOf({ id }: JsonObject): string {
  return typeof id === "string" ? id : "";
}

/** The members of an item that its list does not define. */
export function unknownNames(list: ItemList, item: object): readonly string[] {
  return Object.keys(item).filter((name) => !itemNames[list].includes(name));
}
