/**
 * The cost of one operation, computed before it runs. Each fragment is counted once, so nested fragments cannot make
 * the computation itself expensive.
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
/** Lexical tokens of a document. Part of validation takes quadratic time in them. */
export const TOKENS = 2_000;
/** Nested fields. */
export const DEPTH = 10;
/** Depth below `__schema` and `__type`: the introspection query of common tools has 13 to 15. */
export const INTROSPECTION_DEPTH = 20;
/** Fields of the root query, including aliases: each is at least one statement. */
export const ROOT_FIELDS = 20;
/** The sum over all fields of the page sizes above each. */
export const COST = 20_000;

/** Quotes, a colon and a comma. */
const PUNCTUATION = 4;
/** Lengths of lists without pages: the maximum of a domain's lists, and approximate lengths of the schema's lists. */
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
  /**
   * Characters of the members' names in the largest possible response. Aliases count in full, because their length has
   * no other limit.
   */
  readonly names: number;
}

export type Variables = Readonly<Record<string, unknown>>;

const nothing: Measure = { depth: 0, introspectionDepth: 0, rootFields: 0, cost: 0, names: 0 };

/** For a document that has passed validation; `variables` as sent. */
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
    // Prevents endless recursion if a cycle ever gets past validation.
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
    // `rootFields` of the inner selection counts the fields directly below; they matter if that is the root query
    // again.
    const rootFields = 1 + (name === "query" ? inner.rootFields : 0);
    if (name === "__schema" || name === "__type") {
      return { depth: 1, introspectionDepth: 1 + inner.depth, rootFields, cost, names };
    }
    return { depth: 1 + inner.depth, introspectionDepth: inner.introspectionDepth, rootFields, cost, names };
  }

  /** How often the selection below the field can occur. */
  function pageSizeOf({ name, arguments: given = [] }: FieldNode): number {
    if (name.value !== "entities" && name.value !== "iids") return 1;
    const read = (wanted: string) => sizeOf(given.find((each) => each.name.value === wanted)?.value);
    const size = pageSize({ first: read("first"), last: read("last") }, pageSizes);
    // A value out of range is refused elsewhere, with a clearer message.
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

/** A message that names the exceeded limit; undefined if there is none. */
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
