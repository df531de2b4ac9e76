/**
 * The schema (contract/registry.md section 7.2): reading only, there is no mutation. Its names are those that the
 * platform's public documentation and existing clients use; clients declare variables of the input types.
 */
import {
  DirectiveLocation,
  GraphQLDeprecatedDirective,
  GraphQLDirective,
  GraphQLID,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  specifiedDirectives,
  type GraphQLFieldConfig,
} from "graphql";
import type { DomainRecord } from "../domain/domain.ts";
import { accessPaths } from "./access-paths.ts";
import { connectionType, listArguments, orderByType } from "./connection-type.ts";
import { openConnection } from "./connection.ts";
import { entityType, iidType, nodeType } from "./entity-type.ts";
import { allOf } from "./filter/conditions.ts";
import { compileCondition, compileEntityFilter, compileIidFilter, type FilterInput } from "./filter/compile.ts";
import { createBindings } from "./filter/bindings.ts";
import { columnsOfList, rowWeight } from "./filter/row-weight.ts";
import { entityConditionType, entityFilterType, iidConditionType, iidFilterType } from "./filter-types.ts";
import { parseNodeId, QUERY_NODE_ID, type Collection } from "./node-id.ts";
import { entityOrders, iidOrders, orderingOf } from "./ordering.ts";
import { pageNote, pageRequest, type PageArguments } from "./paging.ts";
import type { GraphqlContext } from "./request-context.ts";

type QueryField = GraphQLFieldConfig<unknown, GraphqlContext>;

interface ListArguments extends PageArguments {
  readonly orderBy?: readonly string[] | null;
  readonly condition?: FilterInput | null;
  readonly filter?: FilterInput | null;
}

const typeNames = { entities: "Entity", iids: "Iid" } as const;

function listField(
  collection: Collection,
  type: ReturnType<typeof connectionType>,
  takes: Parameters<typeof listArguments>[0],
): QueryField {
  const compileFilter = collection === "entities" ? compileEntityFilter : compileIidFilter;
  return {
    type,
    args: listArguments(takes),
    resolve(
      _query,
      { orderBy, condition, filter, ...asked }: ListArguments,
      { database, budget, meter, notes, pageSizes },
    ) {
      const ordering = orderingOf(collection, orderBy ?? []);
      const where: Parameters<typeof openConnection>[0]["where"] = (bindings) =>
        allOf([compileCondition(condition, bindings), compileFilter(filter, bindings)]);
      const page = pageRequest(asked, ordering, pageSizes);
      const note = pageNote(collection, asked, pageSizes);
      if (note !== undefined) notes.add(note);
      // What cannot be compiled is refused even when only fields are selected that need no statement.
      where(createBindings());
      const weight = rowWeight(filter, condition, columnsOfList[collection]);
      return openConnection({
        database,
        budget,
        meter,
        ordering,
        page,
        where,
        weight,
        paths: accessPaths(filter, condition),
      });
    },
  };
}

function byId(type: typeof entityType): QueryField {
  return {
    type,
    args: { id: { type: new GraphQLNonNull(GraphQLString) } },
    resolve: async (_query, { id }: { id: string }, { loads }) => (await loads.settled(id)) ?? null,
  };
}

const nodeIdArgument = { nodeId: { type: new GraphQLNonNull(GraphQLID) } };

function byNodeId(type: typeof entityType, collection: Collection): QueryField {
  return {
    type,
    args: nodeIdArgument,
    resolve: (_query, { nodeId }: { nodeId: string }, context) => nodeOf(nodeId, context, collection),
  };
}

/** Of any collection, or of the one that is asked for. */
async function nodeOf(
  nodeId: string,
  { loads }: GraphqlContext,
  wanted?: Collection,
): Promise<(DomainRecord & { readonly __typename: string }) | null> {
  const parsed = parseNodeId(nodeId);
  if (parsed === undefined || (wanted !== undefined && parsed.collection !== wanted)) return null;
  const domain = await loads.settled(parsed.id);
  return domain === undefined ? null : { ...domain, __typename: typeNames[parsed.collection] };
}

/**
 * Where `@deprecated` may stand, without the place that this version of the library adds: clients with an earlier one cannot
 * read a schema that names it.
 */
const deprecated = new GraphQLDirective({
  ...GraphQLDeprecatedDirective.toConfig(),
  locations: [
    DirectiveLocation.FIELD_DEFINITION,
    DirectiveLocation.ARGUMENT_DEFINITION,
    DirectiveLocation.INPUT_FIELD_DEFINITION,
    DirectiveLocation.ENUM_VALUE,
  ],
});
const directives = specifiedDirectives.map((each) => (each.name === deprecated.name ? deprecated : each));

/** Made at the first request: loading the module costs nothing. */
export function createRegistrySchema(): GraphQLSchema {
  const queryType: GraphQLObjectType<unknown, GraphqlContext> = new GraphQLObjectType({
    name: "Query",
    fields: (): Record<string, QueryField> => ({
      entities: listField("entities", connectionType("Entities", entityType), {
        orderBy: orderByType("EntitiesOrderBy", entityOrders),
        condition: entityConditionType,
        filter: entityFilterType,
      }),
      entity: byId(entityType),
      entityByNodeId: byNodeId(entityType, "entities"),
      iids: listField("iids", connectionType("Iids", iidType), {
        orderBy: orderByType("IidsOrderBy", iidOrders),
        condition: iidConditionType,
        filter: iidFilterType,
      }),
      iid: byId(iidType),
      iidByNodeId: byNodeId(iidType, "iids"),
      node: {
        type: nodeType,
        args: nodeIdArgument,
        // Not the query itself: its fields are counted where they stand.
        resolve: (_query, { nodeId }: { nodeId: string }, context) => nodeOf(nodeId, context),
      },
      nodeId: { type: new GraphQLNonNull(GraphQLID), resolve: () => QUERY_NODE_ID },
      query: { type: new GraphQLNonNull(queryType), description: "This query itself.", resolve: () => ({}) },
    }),
  });
  return new GraphQLSchema({ query: queryType, types: [entityType, iidType], directives });
}
