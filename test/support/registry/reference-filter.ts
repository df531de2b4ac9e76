/** Filters as RG-116 and RG-118 state, slow and simple, over records in memory. Null means "unknown". */
import type { DomainRecord } from "../../../workers/registry/domain/domain.ts";
import { sameJson } from "../../../workers/registry/domain/json-values.ts";
import { typeKeyOf } from "../../../workers/registry/domain/known-types.ts";
import { millisecondsOf } from "../../../workers/registry/domain/time.ts";

type Truth = boolean | null;
type Filter = Readonly<Record<string, unknown>>;
type Value = string | number | boolean | null;

const statusCodes = { active: 0, suspended: 1, deactivated: 3 };
const time = (text: string | null) => (text === null ? null : millisecondsOf(text));
const same = (text: string) => text;
const lower = (text: string) => text.toLowerCase();

interface ReferenceColumn {
  readonly read: (domain: DomainRecord) => unknown;
  readonly kind: "scalar" | "json" | "list";
  /** How whole values and parts of values are compared. */
  readonly whole?: (text: string) => string;
  readonly part?: (text: string) => string;
}

const scalar = (read: ReferenceColumn["read"], whole = same, part = whole): ReferenceColumn => ({
  kind: "scalar",
  read,
  whole,
  part,
});

const contextOf = (domain: DomainRecord) => [
  { key: "class", val: domain.class },
  ...domain.document.context.map((val) => ({ key: "context", val })),
];

const entityColumns: Readonly<Record<string, ReferenceColumn>> = {
  id: scalar(({ id }) => id),
  type: scalar(({ type }) => typeKeyOf(type), typeKeyOf, lower),
  status: scalar(({ status }) => status, lower),
  statusCode: scalar(({ status }) => statusCodes[status]),
  relayerNode: scalar(({ relayerNode }) => relayerNode),
  owner: scalar(({ owner }) => owner),
  externalId: scalar(({ externalId }) => externalId),
  entityVerified: scalar(({ verificationStatus }) => verificationStatus === "Verified"),
  verificationStatus: scalar(({ verificationStatus }) => verificationStatus.toLowerCase(), lower),
  name: scalar(({ name }) => name),
  class: scalar((domain) => domain.class),
  startDate: scalar(({ validFrom }) => time(validFrom)),
  endDate: scalar(({ validUntil }) => time(validUntil)),
  controller: { kind: "list", read: ({ controllers }) => controllers },
  credentialIds: { kind: "list", read: ({ credentials }) => credentials.map(({ id }) => id) },
  context: { kind: "json", read: contextOf },
  metadata: { kind: "json", read: ({ metadata }) => metadata },
};

const iidColumns: Readonly<Record<string, ReferenceColumn>> = {
  id: scalar(({ id }) => id),
  controller: { kind: "list", read: ({ controllers }) => controllers },
  context: { kind: "json", read: contextOf },
  alsoKnownAs: scalar(({ document }) => document.alsoKnownAs[0] ?? ""),
};

export function referenceFilter(domain: DomainRecord, filter: Filter | null, columns = entityColumns): Truth {
  return every(
    present(filter).map(([name, value]) => {
      if (name === "and") return every((value as Filter[]).map((each) => referenceFilter(domain, each, columns)));
      if (name === "or") {
        const alternatives = (value as Filter[]).map((each) => referenceFilter(domain, each, columns));
        return alternatives.length === 0 ? true : some(alternatives);
      }
      if (name === "not")
        return restricts(value as Filter) ? negated(referenceFilter(domain, value as Filter, columns)) : true;
      if (name === "iidById") return referenceFilter(domain, value as Filter, iidColumns);
      const column = columns[name];
      if (column === undefined) throw new Error(name);
      return every(
        present(value as Filter).map(([operator, operand]) => judge(column, column.read(domain), operator, operand)),
      );
    }),
  );
}

/** Whether any part of the filter can exclude a row. */
function restricts(filter: Filter): boolean {
  return present(filter).some(([name, value]) => {
    if (name === "and") return (value as Filter[]).some(restricts);
    if (name === "or")
      return (value as Filter[]).length > 0 && ((value as Filter[]).length > 1 || (value as Filter[]).some(restricts));
    if (name === "not" || name === "iidById") return restricts(value as Filter);
    return present(value as Filter).length > 0;
  });
}

function judge(column: ReferenceColumn, value: unknown, operator: string, operand: unknown): Truth {
  if (operator === "isNull") return (value === null) === operand;
  if (column.kind === "list") return judgeList(value as string[], operator, operand);
  if (column.kind === "json") return judgeJson(value, operator, operand);
  const caseless = operator.endsWith("Insensitive");
  const name = caseless ? operator.slice(0, -"Insensitive".length) : operator;
  const isPart = /cludes$|With$|ike$/.test(name);
  const folded = (each: Value): Value => {
    if (typeof each !== "string") return each;
    const text = (isPart ? column.part : column.whole)?.(each) ?? each;
    return caseless ? text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : text;
  };
  const own = typeof value === "string" && caseless ? folded(value) : (value as Value);
  return judgeScalar(own, name, Array.isArray(operand) ? (operand as Value[]).map(folded) : folded(operand as Value));
}

function judgeScalar(value: Value, operator: string, operand: Value | Value[]): Truth {
  if (operator === "distinctFrom") return value !== operand;
  if (operator === "notDistinctFrom") return value === operand;
  if (operator === "in")
    return (operand as Value[]).length === 0 ? false : value === null ? null : (operand as Value[]).includes(value);
  if (operator === "notIn") return negated(judgeScalar(value, "in", operand));
  if (value === null) return null;
  const order = () => compare(value, operand as Value);
  const text = () => [String(value), String(operand)] as const;
  switch (operator) {
    case "equalTo":
      return value === operand;
    case "notEqualTo":
      return value !== operand;
    case "lessThan":
      return order() < 0;
    case "lessThanOrEqualTo":
      return order() <= 0;
    case "greaterThan":
      return order() > 0;
    case "greaterThanOrEqualTo":
      return order() >= 0;
    case "includes":
      return text()[0].includes(text()[1]);
    case "startsWith":
      return text()[0].startsWith(text()[1]);
    case "endsWith":
      return text()[0].endsWith(text()[1]);
    case "like":
      return patternOf(text()[1]).test(text()[0]);
    default: {
      const positive = operator.replace(/^not(.)/, (_, letter: string) => letter.toLowerCase());
      if (positive === operator) throw new Error(operator);
      return negated(judgeScalar(value, positive, operand));
    }
  }
}

function judgeList(list: readonly string[], operator: string, operand: unknown): Truth {
  const wanted = operand as string[];
  switch (operator) {
    case "equalTo":
      return sameJson(list, wanted);
    case "notEqualTo":
      return !sameJson(list, wanted);
    case "contains":
      return wanted.every((each) => list.includes(each));
    case "containedBy":
      return list.every((each) => wanted.includes(each));
    case "overlaps":
      return list.some((each) => wanted.includes(each));
    case "anyEqualTo":
      return list.includes(operand as string);
    case "anyNotEqualTo":
      return list.some((each) => each !== operand);
    default:
      throw new Error(operator);
  }
}

function judgeJson(value: unknown, operator: string, operand: unknown): Truth {
  const keys = Array.isArray(value) ? value.filter((each) => typeof each === "string") : Object.keys(value as object);
  switch (operator) {
    case "equalTo":
    case "notDistinctFrom":
      return sameJson(value, operand);
    case "notEqualTo":
    case "distinctFrom":
      return !sameJson(value, operand);
    case "in":
      return (operand as unknown[]).some((each) => sameJson(value, each));
    case "notIn":
      return !(operand as unknown[]).some((each) => sameJson(value, each));
    case "containsKey":
      return keys.includes(operand as string);
    case "containsAllKeys":
      return (operand as string[]).every((each) => keys.includes(each));
    case "containsAnyKeys":
      return (operand as string[]).some((each) => keys.includes(each));
    case "contains":
      return holds(value, operand);
    default:
      throw new Error(operator);
  }
}

function holds(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.every((each) => value.some((item) => holds(item, each)));
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(wanted).every(
    ([name, each]) => Object.hasOwn(value, name) && holds((value as Filter)[name], each),
  );
}

function patternOf(like: string): RegExp {
  const source = like.replace(/\\([^])|[^]/gu, (token, plain?: string) => {
    if (plain !== undefined) return escaped(plain);
    if (token === "%") return "[^]*";
    return token === "_" ? "[^]" : escaped(token);
  });
  return new RegExp(`^${source}$`, "u");
}

/** A character as a pattern that matches only itself. */
function escaped(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/u.test(character) ? `\\${character}` : character;
}

function compare(one: Value, other: Value): number {
  if (typeof one === "string") return compareTexts(one, String(other));
  return Number(one) - Number(other);
}

/** By code points, as SQLite sorts; JavaScript sorts by UTF-16 units. */
export function compareTexts(one: string, other: string): number {
  const [left, right] = [Array.from(one), Array.from(other)];
  const at = left.findIndex((character, place) => character !== right[place]);
  if (at === -1) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}

function every(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

function some(truths: readonly Truth[]): Truth {
  return negated(every(truths.map(negated)));
}

function negated(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

function present(filter: Filter | null): readonly (readonly [string, unknown])[] {
  return Object.entries(filter ?? {}).filter(([, value]) => value !== null && value !== undefined);
}
