/** The body of a domain during editing: its members by path, the body of a save, and moving edits to a newer version. Pure. */
import type { FieldProblem } from "../../api/api-failure.ts";
import { parsedJson } from "../../../../shared/json-members.ts";
import { USUAL_DEPTH, isDeeperThan } from "../../kit/json-text.ts";
import { sameJson } from "../../kit/same-json.ts";
import { formTexts } from "../../texts/kit.ts";
import type { Domain } from "../domain-record.ts";
import { itemLists } from "./item-lists.ts";

export type Body = Readonly<Record<string, unknown>>;

/** The fields of the form, each with its place in the body. */
export const fieldPaths = {
  type: ["type"],
  name: ["metadata", "name"],
  description: ["metadata", "description"],
  class: ["class"],
  controllers: ["controllers"],
  externalId: ["externalId"],
  relayerNode: ["relayerNode"],
  validFrom: ["validFrom"],
  validUntil: ["validUntil"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type FieldName = keyof typeof fieldPaths;
export function memberAt(body: Body, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isBody(value) ? value[name] : undefined), body);
}

/** @param value undefined removes the member. */
export function withMember(body: Body, [name = "", ...rest]: readonly string[], value: unknown): Body {
  const inner = body[name];
  const changed = rest.length === 0 ? value : withMember(isBody(inner) ? inner : {}, rest, value);
  if (changed !== undefined) return { ...body, [name]: changed };
  const { [name]: _removed, ...others } = body;
  return others;
}

const plainMembers = ["class", "controllers", "metadata"] as const;
const optionalMembers = ["validFrom", "validUntil", "relayerNode", "externalId"] as const;
const listMembers = ["credentials", "accounts"] as const;

/** Removes an empty list, and parents that contained nothing else. */
export function withItems(body: Body, path: readonly string[], items: readonly Body[]): Body {
  const changed = withMember(body, path, items.length === 0 ? undefined : items);
  const holder = path.slice(0, -1);
  return holder.length > 0 && sameJson(memberAt(changed, holder), {})
    ? withMember(changed, holder, undefined)
    : changed;
}

/** The editable members of a record, without empty ones. */
export function editableOf(domain: Domain): Body {
  const document = Object.entries(domain.document).filter(([, list]) => list.length > 0);
  return Object.fromEntries<unknown>([
    ...plainMembers.map((name) => [name, domain[name]] as const),
    ...optionalMembers.filter((name) => domain[name] !== null).map((name) => [name, domain[name]] as const),
    ...listMembers.filter((name) => domain[name].length > 0).map((name) => [name, domain[name]] as const),
    ...(document.length > 0 ? [["document", Object.fromEntries(document)] as const] : []),
  ]);
}

/** The merge patch (RFC 7396) that turns one body into the other; `{}` when they are equal. */
export function patchOf(before: Body, after: Body): Body {
  const patch: Record<string, unknown> = {};
  for (const name of Object.keys(before)) if (!(name in after)) patch[name] = removal(before[name]);
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    if (sameJson(old, value)) continue;
    patch[name] = isBody(old) && isBody(value) ? patchOf(old, value) : value;
  }
  return patch;
}

/** A list of the record is emptied, since only some members may be null. */
function removal(value: unknown): unknown {
  return Array.isArray(value) ? [] : null;
}

export function applyPatch(body: Body, patch: Body): Body {
  const result: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else {
      const old = result[name];
      result[name] = isBody(value) ? applyPatch(isBody(old) ? old : {}, value) : value;
    }
  }
  return result;
}

/** Pointers that both patches change, of which only one can win. */
export function overlaps(mine: Body, theirs: Body, at = ""): readonly string[] {
  return Object.keys(mine)
    .filter((name) => name in theirs && !sameJson(mine[name], theirs[name]))
    .flatMap((name) => {
      const [left, right] = [mine[name], theirs[name]];
      return isBody(left) && isBody(right) ? overlaps(left, right, `${at}/${name}`) : [`${at}/${name}`];
    });
}

/** A requirement that the schema does not express: a class, under one of its names. */
export function missingMembers(body: Body): readonly FieldProblem[] {
  if ("class" in body || "protocol" in body) return [];
  return [{ field: "/class", code: "required", message: formTexts.required }];
}

/**
 * The registry accepts a domain without a name, but people could not find it, so the form requires one, unless a document or
 * credentials may contain it.
 */
export function missingName(body: Body): readonly FieldProblem[] {
  if ([body["document"], body["credentials"]].some(holdsSomething)) return [];
  const { metadata = {} } = body;
  if (!isBody(metadata) || !isBlank(metadata["name"])) return [];
  return [{ field: "/metadata/name", code: "required", message: formTexts.required }];
}

function isBlank(name: unknown): boolean {
  return name === undefined || (typeof name === "string" && name.trim() === "");
}

function holdsSomething(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** A merge patch deletes null members, so a typed null would be lost. */
export function newNulls(before: unknown, after: unknown, at = ""): readonly FieldProblem[] {
  if (after === null)
    return before === null
      ? []
      : [{ field: at, code: "null", message: "A field cannot be set to null here. Omit it instead." }];
  if (!isBody(after)) return [];
  return Object.entries(after).flatMap(([name, value]) =>
    newNulls(isBody(before) ? before[name] : undefined, value, `${at}/${name}`),
  );
}

/** JSON pointers with a field; a class and controllers may be present under an alternative name. */
export function placesOf(body: Body): readonly string[] {
  const ofItems = itemLists.flatMap(({ path, fields }) => {
    const list = memberAt(body, path);
    const items = Array.isArray(list) ? list.keys() : [];
    const place = `/${path.join("/")}`;
    return [place, ...[...items].flatMap((at) => fields.map(({ name }) => `${place}/${at}/${name}`))];
  });
  return [...Object.values(fieldPaths).map((path) => `/${path.join("/")}`), "/protocol", "/controller", ...ofItems];
}

/** A default class: the protocol that is named like the type. It need not exist. */
export function suggestedClass(type: string): string {
  const name = type
    .toLowerCase()
    .replaceAll(/[^a-z0-9/._~-]+/g, "-")
    .replaceAll(/^[-/]+|[-/]+$/g, "");
  return `did:ixo:protocol/${name === "" ? "domain" : name}`;
}

/** Undefined for a text that is not a JSON object, or that nests deeper than the registry accepts. */
export function parsedBody(text: string): Body | undefined {
  const value = parsedJson(text);
  return isBody(value) && !isDeeperThan(USUAL_DEPTH, value) ? value : undefined;
}

export function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
