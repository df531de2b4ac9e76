/**
 * Checks whether a value fits a JSON Schema (2020-12, and older spellings) by interpreting the schema. The work is bounded, so that
 * no untrusted schema delays the shared process. For this reason, `pattern` and `patternProperties` are ignored: a regular
 * expression takes unbounded time. `format` is an annotation, as in the standard.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../platform/json.ts";
import { own, resolve } from "./argument-schema.ts";
import { canonical, same } from "./json-equality.ts";

/** Schema visits in one check; a real schema takes some hundreds. */
const MAX_LOOKS = 20_000;
/** Characters of a text that cost one visit when it is counted, compared or resolved as a reference. */
const CHARACTERS_PER_LOOK = 64;
/** Parts of a list (names, items, enum members) that cost one visit. Short lists are free. */
const PARTS_PER_LOOK = 16;
/** Nesting of references and schemas; arguments are nested 100 levels at most. */
const MAX_LEVELS = 400;

type Schema = JsonObject | boolean;
/** The problem and its place: `/list/0 must be of type string`. */
type Problem = string | undefined;

/** `root` has been validated by `readArgumentSchema`. */
export function findMismatch(root: JsonObject, value: JsonValue): Problem {
  const work = { looks: 0, level: 0, spent: false };
  const problem = check(root, value, "");
  return work.spent ? "its schema takes too long to check" : problem;

  function spend(looks: number): void {
    work.looks += looks;
    work.spent ||= work.looks > MAX_LOOKS;
  }

  function spendOnText(length: number): void {
    spend(length / CHARACTERS_PER_LOOK);
  }

  function spendOnParts(count: number): void {
    spend(Math.floor(count / PARTS_PER_LOOK));
  }

  function check(schema: Schema, value: JsonValue, place: string): Problem {
    spend(1);
    if (typeof value === "string") spendOnText(value.length);
    work.spent ||= work.level > MAX_LEVELS;
    if (work.spent) return "too much work";
    if (typeof schema === "boolean") return schema ? undefined : `${at(place)} must be absent`;
    spendOnParts(widthOf(schema));
    work.level += 1;
    const problem =
      byReference(schema, value, place) ??
      byEquality(schema, value, place) ??
      byValue(schema, value, place) ??
      (typeof value === "object" && value !== null
        ? isJsonObject(value)
          ? byMembers(schema, value, place)
          : byItems(schema, value, place)
        : undefined) ??
      byCombination(schema, value, place);
    work.level -= 1;
    return problem;
  }

  function byReference(schema: JsonObject, value: JsonValue, place: string): Problem {
    const reference = own(schema, "$ref");
    if (typeof reference !== "string") return undefined;
    spendOnText(reference.length);
    const target = resolve(root, reference);
    return target === undefined ? undefined : check(target, value, place);
  }

  function byEquality(schema: JsonObject, value: JsonValue, place: string): Problem {
    const members = own(schema, "enum") as readonly JsonValue[] | undefined;
    const constant = own(schema, "const");
    if (members === undefined && constant === undefined) return undefined;
    spendOnText(canonical(value).length);
    const isMember = members === undefined || members.some((member) => same(member, value));
    if (!isMember) return `${at(place)} must be one of the allowed values`;
    return constant === undefined || same(constant, value)
      ? undefined
      : `${at(place)} must equal the required constant`;
  }

  function byCombination(schema: JsonObject, value: JsonValue, place: string): Problem {
    const fits = (each: Schema): boolean => check(each, value, place) === undefined;
    for (const each of listOf(schema, "allOf")) {
      const problem = check(each, value, place);
      if (problem !== undefined) return problem;
    }
    const anyOf = listOf(schema, "anyOf");
    if (anyOf.length > 0 && !anyOf.some(fits)) return `${at(place)} matches none of the allowed schemas`;
    const oneOf = listOf(schema, "oneOf");
    if (oneOf.length > 0 && oneOf.filter(fits).length !== 1)
      return `${at(place)} must match exactly one of the allowed schemas`;
    const not = schemaOf(schema, "not");
    if (not !== undefined && fits(not)) return `${at(place)} matches a schema that is not allowed`;
    const condition = schemaOf(schema, "if");
    if (condition === undefined) return undefined;
    const consequence = schemaOf(schema, fits(condition) ? "then" : "else");
    return consequence === undefined ? undefined : check(consequence, value, place);
  }

  function byMembers(schema: JsonObject, value: JsonObject, place: string): Problem {
    const names = Object.keys(value);
    const required = requiredOf(schema, value);
    spendOnParts(names.length + required.length);
    for (const name of required) {
      if (!Object.hasOwn(value, name)) return `${at(`${place}/${name}`)} is missing`;
    }
    const count = outside(names.length, own(schema, "minProperties"), own(schema, "maxProperties"));
    if (count !== undefined) return `${at(place)} must have ${count} members`;
    const properties = recordOf(schema, "properties");
    const naming = schemaOf(schema, "propertyNames");
    // Patterns are not evaluated, so with patterns no member counts as additional.
    const others =
      own(schema, "patternProperties") === undefined ? schemaOf(schema, "additionalProperties") : undefined;
    for (const name of names) {
      const named = naming === undefined ? undefined : check(naming, name, `${place}/${name}`);
      if (named !== undefined) return named;
      const rule = (own(properties, name) as Schema | undefined) ?? others;
      const problem = rule === undefined ? undefined : check(rule, own(value, name) ?? null, `${place}/${name}`);
      if (problem !== undefined) return problem;
    }
    for (const [name, rule] of Object.entries(recordOf(schema, "dependentSchemas"))) {
      const problem = Object.hasOwn(value, name) ? check(rule as Schema, value, place) : undefined;
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  function byItems(schema: JsonObject, value: readonly JsonValue[], place: string): Problem {
    spendOnParts(value.length);
    const count = outside(value.length, own(schema, "minItems"), own(schema, "maxItems"));
    if (count !== undefined) return `${at(place)} must have ${count} items`;
    const first = Array.isArray(own(schema, "items")) ? listOf(schema, "items") : listOf(schema, "prefixItems");
    const rest = schemaOf(schema, Array.isArray(own(schema, "items")) ? "additionalItems" : "items");
    for (const [index, item] of value.entries()) {
      const rule = first[index] ?? rest;
      const problem = rule === undefined ? undefined : check(rule, item, `${place}/${index}`);
      if (problem !== undefined) return problem;
    }
    const wanted = schemaOf(schema, "contains");
    if (wanted !== undefined) {
      const found = value.filter((item) => check(wanted, item, place) === undefined).length;
      const few = outside(found, own(schema, "minContains") ?? 1, own(schema, "maxContains"));
      if (few !== undefined) return `${at(place)} must have ${few} items that match a schema`;
    }
    if (own(schema, "uniqueItems") !== true) return undefined;
    const texts = value.map(canonical);
    spendOnText(texts.reduce((sum, text) => sum + text.length, 0));
    return new Set(texts).size === value.length ? undefined : `${at(place)} must not repeat an item`;
  }
}

function byValue(schema: JsonObject, value: JsonValue, place: string): Problem {
  const types = [own(schema, "type") ?? []].flat() as readonly string[];
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return `${at(place)} must be of type ${types.join(" or ")}`;
  }
  if (typeof value === "string") {
    const count = outside(countCharacters(value), own(schema, "minLength"), own(schema, "maxLength"));
    return count === undefined ? undefined : `${at(place)} must have ${count} characters`;
  }
  return typeof value === "number" ? byNumber(schema, value, place) : undefined;
}

/** Counts code points, as the standard does. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function byNumber(schema: JsonObject, value: number, place: string): Problem {
  const bound = (keyword: string, otherwise: number): number => Number(own(schema, keyword) ?? otherwise);
  const range = outside(value, own(schema, "minimum"), own(schema, "maximum"));
  if (range !== undefined) return `${at(place)} must be ${range}`;
  const above = value > bound("exclusiveMinimum", -Infinity);
  const below = value < bound("exclusiveMaximum", Infinity);
  if (!above || !below) return `${at(place)} is out of range`;
  const step = bound("multipleOf", 0);
  const quotient = value / step;
  // Decimal fractions have no exact quotient: 0.3 is a multiple of 0.1.
  const even = step <= 0 || Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * Number.EPSILON * 4;
  return even ? undefined : `${at(place)} must be a multiple of ${step}`;
}

function isOfType(value: JsonValue, type: JsonValue): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isJsonObject(value) : typeof value === type;
}

/** `at least 2` or `at most 5` if the number is out of range, otherwise undefined. */
function outside(value: number, least: JsonValue | undefined, most: JsonValue | undefined): string | undefined {
  if (typeof least === "number" && value < least) return `at least ${least}`;
  return typeof most === "number" && value > most ? `at most ${most}` : undefined;
}

function requiredOf(schema: JsonObject, value: JsonObject): readonly string[] {
  const always = (own(schema, "required") ?? []) as readonly string[];
  const dependent = Object.entries(recordOf(schema, "dependentRequired")).flatMap(([name, needed]) =>
    Object.hasOwn(value, name) ? (needed as readonly string[]) : [],
  );
  return dependent.length === 0 ? always : [...always, ...dependent];
}

const widths = new WeakMap<object, number>();

/** Parts of the lists and records in a schema: how many a visit may have to read. */
function widthOf(schema: JsonObject): number {
  const known = widths.get(schema);
  if (known !== undefined) return known;
  const lists = Object.values(schema).filter((value) => typeof value === "object" && value !== null);
  const width = lists.reduce((sum, list) => sum + Object.keys(list).length, 0);
  widths.set(schema, width);
  return width;
}

function schemaOf(schema: JsonObject, keyword: string): Schema | undefined {
  return own(schema, keyword) as Schema | undefined;
}

function listOf(schema: JsonObject, keyword: string): readonly Schema[] {
  return (own(schema, keyword) ?? []) as readonly Schema[];
}

function recordOf(schema: JsonObject, keyword: string): JsonObject {
  return (own(schema, keyword) ?? {}) as JsonObject;
}

function at(place: string): string {
  return place === "" ? "the arguments" : place.slice(0, 200);
}
