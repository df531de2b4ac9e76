/**
 * A domain's own document: the sent members merged into the stored document and validated as a whole. `did-document.ts`
 * renders it as a DID document.
 */
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../../../platform/json.ts";
import type { FailureDetail } from "../../../platform/failure.ts";
import { absoluteId } from "./domain-id.ts";
import { idOf, itemSchemas, OWN_ID, unknownNames, uri } from "./document-items.ts";
import { documentLists, itemLists, relationships, type DomainDocument } from "./domain.ts";
import { isUnique } from "./members.ts";
import { jsonBytes } from "./metadata.ts";

/** Maximum items per list. */
export const LIST_ITEMS = 100;
/** Maximum alternative names per domain. */
export const OTHER_NAMES = 20;
/** Bytes of the whole document as compact UTF-8 JSON. */
export const DOCUMENT_BYTES = 128 * 1024;

const methodIds = z.array(z.string()).max(LIST_ITEMS);

const lists = {
  alsoKnownAs: z.array(uri).max(OTHER_NAMES),
  context: z.array(uri).max(LIST_ITEMS),
  verificationMethod: z.array(itemSchemas.verificationMethod).max(LIST_ITEMS),
  service: z.array(itemSchemas.service).max(LIST_ITEMS),
  linkedResource: z.array(itemSchemas.linkedResource).max(LIST_ITEMS),
  linkedClaim: z.array(itemSchemas.linkedClaim).max(LIST_ITEMS),
  linkedEntity: z.array(itemSchemas.linkedEntity).max(LIST_ITEMS),
  accordedRight: z.array(itemSchemas.accordedRight).max(LIST_ITEMS),
  authentication: methodIds,
  assertionMethod: methodIds,
  keyAgreement: methodIds,
  capabilityInvocation: methodIds,
  capabilityDelegation: methodIds,
};

/** `null` empties a list; an omitted list is unchanged. */
export const documentMember = z.object(
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.nullish()])) as {
    [Name in keyof typeof lists]: z.ZodOptional<z.ZodNullable<(typeof lists)[Name]>>;
  },
);
export type DocumentInput = z.output<typeof documentMember>;

export const emptyDocument = Object.fromEntries(documentLists.map((list) => [list, []])) as unknown as DomainDocument;

export function mergeDocument(before: DomainDocument, sent: DocumentInput, domain: string): DomainDocument {
  const merged = documentLists.map((list): [string, unknown] => {
    const given = sent[list];
    return [list, given === undefined ? before[list] : (given ?? []).map((item) => ownItem(list, item, domain))];
  });
  return Object.fromEntries(merged) as unknown as DomainDocument;
}

/** `{id}` is replaced by the domain's DID. A verification method without a controller belongs to the domain. */
export function ownItem(list: string, item: JsonObject | string, domain: string): JsonObject | string {
  if (typeof item === "string") return isRelationship(list) ? item.replaceAll(OWN_ID, domain) : item;
  const { id: _, ...rest } = item;
  const named = idOf(item).replaceAll(OWN_ID, domain);
  if (list !== "verificationMethod") return { id: named, ...rest };
  const { controller = OWN_ID, ...key } = rest;
  return { id: named, controller: controller === OWN_ID ? domain : controller, ...key };
}

function isRelationship(list: string): boolean {
  return (relationships as readonly string[]).includes(list);
}

/** Faults that only the whole document shows. */
export function detailsOfDocument(document: DomainDocument, domain: string): readonly FailureDetail[] {
  const doubled = itemLists
    .filter((list) => !isUnique(document[list].filter(hasId).map(absolute), "id"))
    .map((list): FailureDetail => ({
      pointer: `/document/${list}`,
      reason: "duplicate",
      message: `document/${list} must not repeat an id`,
    }));
  const methods = new Set(document.verificationMethod.map((method) => absolute(method).id));
  const dangling = relationships.flatMap((list) =>
    document[list].flatMap((id, at): FailureDetail[] => {
      if (methods.has(absoluteId(domain, id))) return [];
      const message = `document/${list}/${at} must be the id of a verification method of this document`;
      return [{ pointer: `/document/${list}/${at}`, reason: "format", message }];
    }),
  );
  return [...doubled, ...dangling, ...sizeDetails(document)];

  function absolute(item: JsonObject) {
    return { id: absoluteId(domain, idOf(item)) };
  }
}

function hasId(item: JsonObject): boolean {
  return idOf(item) !== "";
}

function sizeDetails(document: DomainDocument): readonly FailureDetail[] {
  if (jsonBytes(document) <= DOCUMENT_BYTES) return [];
  const message = `document may have at most ${DOCUMENT_BYTES} bytes as UTF-8 JSON`;
  return [{ pointer: "/document", reason: "length", message }];
}

/** Members of a sent document that no list defines; a PATCH refuses them. */
export function unknownDocumentMembers(document: JsonObject): readonly FailureDetail[] {
  const strangers = Object.keys(document)
    .filter((name) => !Object.hasOwn(lists, name))
    .map((name) => `/document/${name}`);
  const within = itemLists.flatMap((list) => {
    const items = document[list];
    if (!Array.isArray(items)) return [];
    return (items as readonly unknown[]).flatMap((item, at) =>
      isJsonObject(item) ? unknownNames(list, item).map((name) => `/document/${list}/${at}/${name}`) : [],
    );
  });
  return [...strangers, ...within].map((pointer) => ({
    pointer,
    reason: "unknown_field",
    message: `${pointer.slice(1, 101)} is not known here`,
  }));
}
