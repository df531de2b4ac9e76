/** The input types of filters and conditions, generated from the tables of columns and operators. */
import {
  GraphQLBoolean,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  type GraphQLInputFieldConfig,
  type GraphQLInputType,
  type GraphQLScalarType,
} from "graphql";
import { entityColumns, entityFilterColumns, iidFilterColumns, type Column } from "../lists/columns.ts";
import { numberOperators } from "../lists/filter/comparison.ts";
import { jsonOperators } from "../lists/filter/json.ts";
import { textListOperators } from "../lists/filter/text-list.ts";
import { textOperators } from "../lists/filter/text.ts";
import { datetimeType, jsonType } from "./scalars.ts";

/** Operators grouped by their operand type. */
function operatorsType(name: string, takes: readonly (readonly [readonly string[], GraphQLInputType])[]) {
  const fields = [[["isNull"], GraphQLBoolean] as const, ...takes].flatMap(([operators, type]) =>
    operators.map((operator): [string, GraphQLInputFieldConfig] => [operator, { type }]),
  );
  return new GraphQLInputObjectType({ name, fields: Object.fromEntries(fields) });
}

function listOf(type: GraphQLScalarType) {
  return new GraphQLList(new GraphQLNonNull(type));
}

function numberFilterType(name: string, type: GraphQLScalarType) {
  return operatorsType(name, [
    [numberOperators.single, type],
    [numberOperators.list, listOf(type)],
  ]);
}

const textFilterType = operatorsType("StringFilter", [
  [textOperators.text, GraphQLString],
  [textOperators.list, listOf(GraphQLString)],
]);

const filterTypes: Readonly<Record<Column["kind"], GraphQLInputObjectType>> = {
  text: textFilterType,
  integer: numberFilterType("IntFilter", GraphQLInt),
  time: numberFilterType("DatetimeFilter", datetimeType),
  boolean: numberFilterType("BooleanFilter", GraphQLBoolean),
  json: operatorsType("JSONFilter", [
    [jsonOperators.value, jsonType],
    [jsonOperators.list, listOf(jsonType)],
    [jsonOperators.name, GraphQLString],
    [jsonOperators.names, listOf(GraphQLString)],
  ]),
  "text-list": operatorsType("StringListFilter", [
    [textListOperators.list, new GraphQLList(GraphQLString)],
    [textListOperators.text, GraphQLString],
  ]),
};

const valueTypes: Readonly<Record<Exclude<Column["kind"], "json" | "text-list">, GraphQLScalarType>> = {
  text: GraphQLString,
  integer: GraphQLInt,
  time: datetimeType,
  boolean: GraphQLBoolean,
};

function filterType(
  name: string,
  columns: Readonly<Record<string, Column>>,
  more: () => Readonly<Record<string, GraphQLInputFieldConfig>> = () => ({}),
): GraphQLInputObjectType {
  const type: GraphQLInputObjectType = new GraphQLInputObjectType({
    name,
    fields: () => ({
      ...mapped(columns, ({ kind }) => ({ type: filterTypes[kind] })),
      ...more(),
      and: { type: new GraphQLList(new GraphQLNonNull(type)) },
      or: { type: new GraphQLList(new GraphQLNonNull(type)) },
      not: { type },
    }),
  });
  return type;
}

export const iidFilterType = filterType("IidFilter", iidFilterColumns);

export const entityFilterType = filterType("EntityFilter", entityFilterColumns, () => ({
  iidById: { type: iidFilterType },
}));

export const entityConditionType = new GraphQLInputObjectType({
  name: "EntityCondition",
  description: "Equality on each member; null means that the column is null.",
  fields: mapped(entityColumns, ({ kind }) => ({ type: valueTypes[kind] })),
});

export const iidConditionType = new GraphQLInputObjectType({
  name: "IidCondition",
  fields: { id: { type: GraphQLString } },
});

function mapped<Value, Field>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Field,
): Record<string, Field> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
