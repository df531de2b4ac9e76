/** Adds, replaces or removes one item of a list of a domain's document. */
import { isJsonObject, type JsonObject } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { refused, failureOfDetails } from "../failures.ts";
import type { FailureDetail } from "../../../platform/failure.ts";
import { absoluteId } from "./domain-id.ts";
import { idOf, itemSchemas, unknownNames } from "./document-items.ts";
import { detailsOfDocument, LIST_ITEMS, ownItem } from "./document.ts";
import type { DomainRecord, DomainStep, ItemList } from "./domain.ts";
import { readShape } from "./shape.ts";
import { changeStep, deactivated, type Update } from "./update.ts";

export interface ItemPlace {
  readonly list: ItemList;
  /** `#x`, `{id}#x` and `<did>#x` refer to one item. */
  readonly id: string;
}

/** Whether the item exists, so that a PUT replaces it. */
export function hasItem(domain: DomainRecord, { list, id }: ItemPlace): boolean {
  return domain.document[list].some((item) => isSame(domain, item, id));
}

export async function putItem(
  before: DomainRecord,
  place: ItemPlace,
  sent: JsonObject,
  update: Update,
): Promise<Result<DomainStep | undefined>> {
  const { list, id } = place;
  const read = readShape(itemSchemas[list], { id, ...sent });
  const strangers = unknownNames(list, sent).map((name): FailureDetail => ({
    pointer: `/${name}`,
    reason: "unknown_field",
    message: `${name.slice(0, 100)} is not known here`,
  }));
  if (!read.ok) return failure(failureOfDetails([...strangers, ...read.error]));
  const item = ownItem(list, read.value, before.id);
  if (strangers.length > 0 || !isJsonObject(item)) return failure(failureOfDetails(strangers));
  if (!isSame(before, item, id)) {
    const message = "id must be the id in the path, or be omitted";
    return failure(failureOfDetails([{ pointer: "/id", reason: "format", message }]));
  }
  const items = before.document[list];
  const replaced = items.map((old) => (isSame(before, old, id) ? item : old));
  return withItems(before, list, hasItem(before, place) ? replaced : [...items, item], update);
}

export async function removeItem(
  before: DomainRecord,
  place: ItemPlace,
  update: Update,
): Promise<Result<DomainStep | undefined>> {
  if (!hasItem(before, place)) return refused("not_found", `There is no such item in ${place.list}`);
  const left = before.document[place.list].filter((item) => !isSame(before, item, place.id));
  return withItems(before, place.list, left, update);
}

async function withItems(
  before: DomainRecord,
  list: ItemList,
  items: readonly JsonObject[],
  update: Update,
): Promise<Result<DomainStep | undefined>> {
  if (before.status === "deactivated") return deactivated();
  const document = { ...before.document, [list]: items };
  const tooMany = { pointer: "", reason: "length", message: `${list} may have at most ${LIST_ITEMS} items` };
  const details = [...(items.length > LIST_ITEMS ? [tooMany] : []), ...detailsOfDocument(document, before.id)];
  if (details.length > 0) return failure(failureOfDetails(details));
  return success(await changeStep(before, { document }, update));
}

function isSame({ id: domain }: DomainRecord, item: JsonObject, id: string): boolean {
  return absoluteId(domain, idOf(item)) === absoluteId(domain, id.replaceAll("{id}", domain));
}
