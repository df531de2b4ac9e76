/**
 * Forms that existing clients send and that this schema names differently: `accounts` and `credentials` selected
 * without members, where documents have objects, and numbers as a status. They are rewritten before a document is
 * validated.
 */
import {
  Kind,
  visit,
  type DocumentNode,
  type FieldNode,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  type TypeNode,
  type ValueNode,
} from "graphql";
import { isJsonObject } from "../../../platform/json.ts";

/** The field that replaces a selection without members. */
const leaves: Readonly<Record<string, string>> = { accounts: "accountsJson", credentials: "credentialIds" };
/** Members of a filter that contain JSON of the caller: nothing in it is a name of the schema. */
const ownJson = ["metadata", "context"];

export function withFieldForms(document: DocumentNode): DocumentNode {
  const integers = new Set(
    document.definitions
      .flatMap((definition) =>
        definition.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [],
      )
      .filter(({ type }) => namedTypeOf(type) === "Int")
      .map(({ variable }) => variable.name.value),
  );
  const isInteger = (value: ValueNode): boolean =>
    value.kind === Kind.INT ||
    (value.kind === Kind.VARIABLE && integers.has(value.name.value)) ||
    (value.kind === Kind.LIST && value.values.length > 0 && value.values.every(isInteger));
  /** In a condition the number itself, in a filter its operators. */
  const isNumbered = (value: ValueNode): boolean =>
    isInteger(value) ||
    (value.kind === Kind.OBJECT && value.fields.length > 0 && value.fields.every((field) => isInteger(field.value)));

  return visit(document, {
    Field(node: FieldNode): FieldNode | undefined {
      const name = node.name.value;
      const leaf = Object.hasOwn(leaves, name) ? leaves[name] : undefined;
      if (leaf === undefined || node.selectionSet !== undefined) return undefined;
      return { ...node, alias: node.alias ?? node.name, name: { ...node.name, value: leaf } };
    },
    ObjectField(node: ObjectFieldNode): ObjectFieldNode | false | undefined {
      if (ownJson.includes(node.name.value)) return false;
      if (node.name.value !== "status" || !isNumbered(node.value)) return undefined;
      return { ...node, name: { ...node.name, value: "statusCode" } };
    },
  });
}

type Variables = Readonly<Record<string, unknown>>;

/** Rewrites the values of variables that are filters or conditions. */
export function variablesWithFieldForms(operation: OperationDefinitionNode, variables: Variables): Variables {
  const changed = (operation.variableDefinitions ?? []).flatMap(({ type, variable }): [string, unknown][] => {
    const name = variable.name.value;
    const isFilter = ["EntityFilter", "EntityCondition"].includes(namedTypeOf(type));
    return isFilter && Object.hasOwn(variables, name) ? [[name, renumbered(variables[name])]] : [];
  });
  return changed.length === 0 ? variables : { ...variables, ...Object.fromEntries(changed) };
}

function renumbered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renumbered);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (ownJson.includes(name)) return [name, member];
      return name === "status" && isNumber(member) ? ["statusCode", member] : [name, renumbered(member)];
    }),
  );
}

function isNumber(value: unknown): boolean {
  if (typeof value === "number") return true;
  const inner = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return inner.length > 0 && inner.every(isNumber);
}

function namedTypeOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeOf(type.type);
}
