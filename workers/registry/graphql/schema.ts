/**
 * The schema, which is read-only: it has no mutations. Its names are those of the platform's public documentation and
 * existing clients; clients declare variables of the input types.
 */
import {
  DirectiveLocation,
  GraphQLDeprecatedDirective,
  GraphQLDirective,
  type GraphQLFieldConfig,
  GraphQLID,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  specifiedDirectives,
} from "graphql";
import type { DomainRecord } from "../domain/domain.ts";
import { accessPaths } from "../lists/access-paths.ts";
import { entityFilterColumns, iidFilterColumns } from "../lists/columns.ts";
import { cursorOf } from "../lists/cursor.ts";
import { keptCount } from "../lists/domain-counts.ts";
import { compileCondition, compileFilter, type FilterInput } from "../lists/filter/compile.ts";
import { entityOrders, iidOrders, orderingOf } from "../lists/order.ts";
import { rowWeight } from "../lists/row-weight.ts";
import { domainColumns } from "../store/domain-rows.ts";
import { allOf, type Bindings, createBindings } from "../store/sql.ts";
import { connectionType, listArguments, orderByType } from "./connection-type.ts";
import { openConnection } from "./connection.ts";
import { entityType, iidType, nodeType } from "./entity-type.ts";
import { entityConditionType, entityFilterType, iidConditionType, iidFilterType } from "./filter-types.ts";
import { type PageArguments, pageNote, pageRequest } from "./paging.ts";
import type { GraphqlContext } from "./request-context.ts";
import { type Collection, parseNodeId, QUERY_NODE_ID } from "./scalars.ts";

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
  const columns = collection === "entities" ? entityFilterColumns : iidFilterColumns;
  return {
    type,
    args: listArguments(takes),
    resolve(
      _query,
      { orderBy, condition, filter, ...asked }: ListArguments,
      { database, budget, meter, notes, pageSizes },
    ) {
      const ordering = orderingOf(orderBy ?? []);
      const cursor = cursorOf([collection, orderBy, given(condition), given(filter)]);
      const where = (bindings: Bindings) =>
        allOf([compileCondition(condition, bindings), compileFilter(filter, columns, bindings)]);
      const page = pageRequest(asked, { ordering, cursor }, pageSizes);
      const note = pageNote(collection, asked, pageSizes);
      if (note !== undefined) notes.add(note);
      // A filter that cannot be compiled is refused even if the selected fields need no statement.
      where(createBindings());
      const weight = rowWeight(filter, condition, columns);
      return openConnection({
        database,
        budget,
        meter,
        ordering,
        cursor,
        page,
        where,
        weight,
        paths: accessPaths(filter, condition),
        kept: keptCount(filter, condition),
        content: domainColumns,
      });
    },
  };
}

/** A filter that restricts nothing is not part of the cursor's binding. */
function given(input: FilterInput | null | undefined): FilterInput | undefined {
  return Object.keys(input ?? {}).length === 0 ? undefined : (input ?? undefined);
}

function byId(type: typeof entityType): QueryField {
  return {
    type,
    args: { id: { type: new GraphQLNonNull(GraphQLString) } },
    resolve: async (_query, { id }: { id: string }, { loads }) => (await loads.effective(id)) ?? null,
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

/** A node of any collection, or of the requested collection. */
async function nodeOf(
  nodeId: string,
  { loads }: GraphqlContext,
  wanted?: Collection,
): Promise<(DomainRecord & { readonly __typename: string }) | null> {
  const parsed = parseNodeId(nodeId);
  if (parsed === undefined || (wanted !== undefined && parsed.collection !== wanted)) return null;
  const domain = await loads.effective(parsed.id);
  return domain === undefined ? null : { ...domain, __typename: typeNames[parsed.collection] };
}

/**
 * `@deprecated` without the location that this version of the library adds: clients with an earlier version cannot read
 * a schema that contains it.
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

/** Called at the first request, so that loading the module costs nothing. */
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
        // Not the query itself: its fields are charged where they are resolved.
        resolve: (_query, { nodeId }: { nodeId: string }, context) => nodeOf(nodeId, context),
      },
      nodeId: { type: new GraphQLNonNull(GraphQLID), resolve: () => QUERY_NODE_ID },
      query: { type: new GraphQLNonNull(queryType), description: "The root query.", resolve: () => ({}) },
    }),
  });
  return new GraphQLSchema({ query: queryType, types: [entityType, iidType], directives });
}
