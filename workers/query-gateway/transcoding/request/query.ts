/** Parses a raw query string into parameters, and assigns parameters to the fields of the request message. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { ReflectMessage } from "@bufbuild/protobuf/reflect";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { fail } from "../../../../platform/failure.ts";
import { success, type Result } from "../../../../platform/result.ts";
import { fieldNamed, hasNamedFields, type FieldChain, addToList, addToMap, holderOf, setSingular } from "../fields.ts";
import { quotedName } from "../limits.ts";

interface QueryOptions {
  /** Levels of a dotted name. */
  readonly nesting: number;
  /** An unknown name fails instead of being ignored. */
  readonly strict: boolean;
}

interface Target {
  readonly chain: FieldChain;
  /** The text in brackets: the key of a map, `""` for `name[]`. */
  readonly key?: string;
}

/** Fills `root`; `taken` contains the fields that path and body set, including all their subfields. */
export function assignQuery(
  root: ReflectMessage,
  parameters: readonly QueryParameter[],
  taken: readonly FieldChain[],
  options: QueryOptions,
): Result<undefined> {
  const seen = new Set<string>();
  for (const { name, value } of parameters) {
    const target = resolve(root.desc, name, taken, options);
    if (!target.ok) return target;
    if (target.value === undefined) continue;
    const { chain, key } = target.value;
    const [field, id] = [chain.at(-1) ?? chain[0], chain.map(({ number }) => number).join(".")];
    const isSingular = field.fieldKind !== "list" && field.fieldKind !== "map";
    // If a singular field is named twice, the first value wins, and the rest is not read.
    if (isSingular && seen.has(id)) continue;
    seen.add(id);
    const holder = holderOf(root, chain, "refuse");
    if (holder === undefined)
      return fail("invalid_request", `The query sets ${quotedName(name)} together with another member of its oneof`);
    if (!assign(holder, field, key, value))
      return fail("invalid_request", `The query's ${quotedName(name)} does not match the type of its field`);
  }
  return success(undefined);
}

function assign(holder: ReflectMessage, field: DescField, key: string | undefined, value: string): boolean {
  if (field.fieldKind === "map") return key !== undefined && addToMap(holder, field, key, value);
  if (field.fieldKind === "list") return (key === undefined || key === "") && addToList(holder, field, value);
  return key === undefined && setSingular(holder, field, value);
}

/** `bv.value` is `bv`, because the runtime represents a wrapper as its bare value. */
function isValueOfWrapper(field: DescField, rest: readonly string[]): boolean {
  return field.fieldKind === "message" && isWrapperDesc(field.message) && rest.length === 1 && rest[0] === "value";
}

/** `undefined` for a name that is unknown at some level, and for one that leads to or into a field in `taken`. */
function resolve(
  message: DescMessage,
  name: string,
  taken: readonly FieldChain[],
  { nesting, strict }: QueryOptions,
): Result<Target | undefined> {
  const bracket = name.endsWith("]") ? name.indexOf("[") : -1;
  const key = bracket === -1 ? undefined : name.slice(bracket + 1, -1);
  const path = (bracket === -1 ? name : name.slice(0, bracket)).split(".", nesting + 1);
  if (path.length > nesting)
    return fail("invalid_request", `The query's ${quotedName(name)} is nested deeper than ${nesting} levels`);
  const chain: DescField[] = [];
  let parent = message;
  for (const [level, part] of path.entries()) {
    const field = fieldNamed(parent, part);
    if (field === undefined)
      return strict ? fail("invalid_request", `The query's ${quotedName(name)} is not known`) : success(undefined);
    chain.push(field);
    if (taken.some((owned) => owned.length === chain.length && owned.every((each, at) => each === chain[at])))
      return success(undefined);
    if (level === path.length - 1 || isValueOfWrapper(field, path.slice(level + 1))) break;
    if (!hasNamedFields(field))
      return fail(
        "invalid_request",
        `The query's ${quotedName(name)} names something inside a field that has no fields`,
      );
    parent = field.message;
  }
  const [first, ...rest] = chain;
  return success(first && { chain: [first, ...rest], key });
}

interface QueryParameter {
  readonly name: string;
  readonly value: string;
}

/** Parameters in order; `raw` is the query without its `?`, undecoded. */
export function parseQuery(raw: string, limit: number): Result<readonly QueryParameter[]> {
  if (raw.includes(";")) return fail("invalid_request", "The query contains a semicolon; separate parameters with &");
  const parameters: QueryParameter[] = [];
  for (const part of raw.split("&")) {
    if (part === "") continue;
    if (parameters.length === limit) return fail("uri_too_long", `The query has more than ${limit} parameters`);
    const equals = part.indexOf("=");
    const name = decodeText(equals === -1 ? part : part.slice(0, equals));
    const value = decodeText(equals === -1 ? "" : part.slice(equals + 1));
    if (name === undefined || value === undefined)
      return fail("invalid_request", "The query contains an escape that is malformed or not UTF-8");
    parameters.push({ name, value });
  }
  return success(parameters);
}

function decodeText(raw: string): string | undefined {
  const spaced = raw.replaceAll("+", " ");
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}
