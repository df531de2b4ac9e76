/**
 * What one operation may cost, computed before it runs. Fragments are counted once
 * each, so that fragments of fragments cannot make the computation itself expensive.
 */
import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from "graphql";
import { ACCOUNTS, CREDENTIALS } from "../domain/members.ts";
import { ANSWER_LENGTH } from "./answer-budget.ts";
import { pageSize, type PageSizes } from "./paging.ts";

/** Bytes of a request's body, counted while reading. */
export const GRAPHQL_BODY_BYTES = 128 * 1024;
/** Lexical tokens of a document: what validation works through, part of it squared. */
export const TOKENS = 2_000;
/** Fields within fields. */
export const DEPTH = 10;
/** The same below `__schema` and `__type`: the introspection query of usual tools has 13 to 15. */
export const INTROSPECTION_DEPTH = 20;
/** Fields of the root query, aliases counted: each is a statement or more. */
export const ROOT_FIELDS = 20;
/** The sum over all fields of the page sizes above each. */
export const COST = 20_000;

/** Quotes, a colon and a comma. */
const PUNCTUATION = 4;
/** Items of lists that have no pages: those of a domain at the most, those of the schema as there are about. */
const listLengths: Readonly<Record<string, number>> = {
  accounts: ACCOUNTS,
  credentials: CREDENTIALS,
  types: 40,
  fields: 40,
  inputFields: 40,
  args: 8,
  enumValues: 30,
};

export interface Measure {
  readonly depth: number;
  readonly introspectionDepth: number;
  readonly rootFields: number;
  readonly cost: number;
  /** Characters of the members' names in the largest answer there may be, aliases as they are: nobody bounds those. */
  readonly names: number;
}

export type Variables = Readonly<Record<string, unknown>>;

const nothing: Measure = { depth: 0, introspectionDepth: 0, rootFields: 0, cost: 0, names: 0 };

/** Of a document that has passed validation; `variables` as they were sent. */
export function measureOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  pageSizes: PageSizes,
): Measure {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const defaults = new Map(
    (operation.variableDefinitions ?? []).map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  const known = new Map<string, Measure>();

  function ofSet({ selections }: SelectionSetNode): Measure {
    return selections
      .map((selection) => {
        if (selection.kind === Kind.FIELD) return ofField(selection);
        if (selection.kind === Kind.INLINE_FRAGMENT) return ofSet(selection.selectionSet);
        return ofFragment(selection.name.value);
      })
      .reduce(together, nothing);
  }

  function ofFragment(name: string): Measure {
    const before = known.get(name);
    if (before !== undefined) return before;
    // In case a circle ever gets past validation.
    known.set(name, nothing);
    const fragment = fragments.get(name);
    const measure = fragment === undefined ? nothing : ofSet(fragment.selectionSet);
    known.set(name, measure);
    return measure;
  }

  function ofField(field: FieldNode): Measure {
    const inner = field.selectionSet === undefined ? nothing : ofSet(field.selectionSet);
    const name = field.name.value;
    const cost = 1 + inner.cost * pageSizeOf(field);
    const ownName = (field.alias?.value ?? name).length + PUNCTUATION;
    const names = ownName + inner.names * (listLengths[name] ?? pageSizeOf(field));
    // `rootFields` of what is inside means the fields directly below; they count where that is the root query again.
    const rootFields = 1 + (name === "query" ? inner.rootFields : 0);
    if (name === "__schema" || name === "__type") {
      return { depth: 1, introspectionDepth: 1 + inner.depth, rootFields, cost, names };
    }
    return { depth: 1 + inner.depth, introspectionDepth: inner.introspectionDepth, rootFields, cost, names };
  }

  /** How often what is below the field may come. */
  function pageSizeOf({ name, arguments: given = [] }: FieldNode): number {
    if (name.value !== "entities" && name.value !== "iids") return 1;
    const read = (wanted: string) => sizeOf(given.find((each) => each.name.value === wanted)?.value);
    const size = pageSize({ first: read("first"), last: read("last") }, pageSizes);
    // What is out of bounds is refused by itself, with a clearer word.
    return Math.min(Math.max(1, size), pageSizes.greatest);
  }

  function sizeOf(value: ValueNode | undefined): number | undefined {
    if (value?.kind === Kind.INT) return Number(value.value);
    if (value?.kind !== Kind.VARIABLE) return undefined;
    const name = value.name.value;
    if (!Object.hasOwn(variables, name)) return sizeOf(defaults.get(name));
    return typeof variables[name] === "number" ? variables[name] : undefined;
  }

  return ofSet(operation.selectionSet);
}

function together(one: Measure, other: Measure): Measure {
  return {
    depth: Math.max(one.depth, other.depth),
    introspectionDepth: Math.max(one.introspectionDepth, other.introspectionDepth),
    rootFields: one.rootFields + other.rootFields,
    cost: one.cost + other.cost,
    names: one.names + other.names,
  };
}

/** What is over its limit, in words; undefined when nothing is. */
export function excessOf({ depth, introspectionDepth, rootFields, cost, names }: Measure): string | undefined {
  if (depth > DEPTH) return `The query is ${depth} fields deep; ${DEPTH} are allowed`;
  if (introspectionDepth > INTROSPECTION_DEPTH) {
    return `The introspection is ${introspectionDepth} fields deep; ${INTROSPECTION_DEPTH} are allowed`;
  }
  if (rootFields > ROOT_FIELDS) {
    return `The query has ${rootFields} root fields, including aliases; ${ROOT_FIELDS} are allowed`;
  }
  if (names > ANSWER_LENGTH) return "The field names in the answer would be too long; use fewer or shorter aliases";
  return cost > COST ? `The query costs ${cost}; ${COST} is allowed. Ask for smaller pages or fewer fields` : undefined;
}
