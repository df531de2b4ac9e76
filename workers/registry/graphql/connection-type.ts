/** The types of a list's page and the arguments that select it. */
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLEnumValueConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputObjectType,
} from "graphql";
import type { DomainRecord } from "../domain/domain.ts";
import type { Connection, Entry } from "./connection.ts";
import type { GraphqlContext } from "./request-context.ts";
import { hasIndex } from "../lists/order.ts";
import { cursorType } from "./scalars.ts";

const pageInfoType = new GraphQLObjectType<Connection, GraphqlContext>({
  name: "PageInfo",
  fields: {
    hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean), resolve: (connection) => connection.hasNextPage() },
    hasPreviousPage: {
      type: new GraphQLNonNull(GraphQLBoolean),
      resolve: (connection) => connection.hasPreviousPage(),
    },
    startCursor: { type: cursorType, resolve: async (connection) => endCursor(connection, 0) },
    endCursor: { type: cursorType, resolve: async (connection) => endCursor(connection, -1) },
  },
});

async function endCursor(connection: Connection, end: 0 | -1): Promise<string | null> {
  return (await connection.entries()).at(end)?.cursor() ?? null;
}

/** `name` is the plural, such as Entities. */
export function connectionType(name: string, nodeType: GraphQLObjectType<DomainRecord, GraphqlContext>) {
  const edgeType = new GraphQLObjectType<Entry, GraphqlContext>({
    name: `${name}Edge`,
    fields: {
      cursor: {
        type: cursorType,
        resolve({ cursor }, _arguments, { budget }) {
          const text = cursor();
          budget.answer(text);
          return text;
        },
      },
      node: { type: new GraphQLNonNull(nodeType), resolve: ({ domain }) => domain },
    },
  });
  return new GraphQLObjectType<Connection, GraphqlContext>({
    name: `${name}Connection`,
    fields: {
      nodes: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(nodeType))),
        resolve: async (connection) => (await connection.entries()).map(({ domain }) => domain),
      },
      edges: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(edgeType))),
        resolve: (connection) => connection.entries(),
      },
      pageInfo: { type: new GraphQLNonNull(pageInfoType), resolve: (connection) => connection },
      totalCount: { type: new GraphQLNonNull(GraphQLInt), resolve: (connection) => connection.totalCount() },
    },
  });
}

export function orderByType(name: string, values: readonly string[]): GraphQLEnumType {
  const description = "Not covered by an index: refused if there are more than 10,000 domains.";
  const described = values.map((value): [string, GraphQLEnumValueConfig] => [
    value,
    hasIndex(value) ? {} : { description },
  ]);
  return new GraphQLEnumType({
    name,
    description: "A combination of orders is not covered by an index.",
    values: Object.fromEntries(described),
  });
}

export function listArguments(types: {
  readonly orderBy: GraphQLEnumType;
  readonly condition: GraphQLInputObjectType;
  readonly filter: GraphQLInputObjectType;
}): GraphQLFieldConfigArgumentMap {
  return {
    first: { type: GraphQLInt },
    last: { type: GraphQLInt },
    offset: { type: GraphQLInt },
    before: { type: cursorType },
    after: { type: cursorType },
    orderBy: {
      type: new GraphQLList(new GraphQLNonNull(types.orderBy)),
      default: { value: ["PRIMARY_KEY_ASC"] },
    },
    condition: { type: types.condition },
    filter: { type: types.filter },
  };
}
