/** Calls the registry's GraphQL as a client does, and stores domains in D1 for it. */
import type { Database } from "../../../platform/database/database.ts";
import { commit } from "../../../workers/registry/store/batch.ts";
import { stepStatements } from "../../../workers/registry/store/domain-steps.ts";
import { ROOT_FIELDS } from "../../../workers/registry/graphql/query-limits.ts";
import type { DomainRecord } from "../../../workers/registry/domain/domain.ts";
import type { Answered, RegistryCall, RegistryEdge } from "./registry-edge.ts";
import type { Received } from "../server/received.ts";

export const GRAPHQL_TYPE = "application/graphql-response+json";

export interface GraphqlClient {
  /** The unparsed answer. */
  ask(query: string, variables?: object, call?: RegistryCall): Promise<Answered>;
  /** The data of an answer without errors. */
  data(query: string, variables?: object): Promise<Received>;
  /** The ids of `entities` with a filter, in order. */
  matching(filter: object): Promise<readonly string[]>;
  /** The ids for many filters, with the maximum number of them per request. */
  matchingEach(filters: readonly object[]): Promise<readonly (readonly string[])[]>;
  /** The code of the first error. */
  codeOf(query: string, variables?: object): Promise<string | undefined>;
}

export function graphqlClient(edge: RegistryEdge): GraphqlClient {
  const ask: GraphqlClient["ask"] = (query, variables, call = {}) =>
    edge.ask("POST", "/graphql", { ...call, body: { query, ...(variables === undefined ? {} : { variables }) } });
  const data: GraphqlClient["data"] = async (query, variables) => {
    const { body } = await ask(query, variables);
    if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors));
    return body.data;
  };
  async function matchingEach(filters: readonly object[]): Promise<readonly (readonly string[])[]> {
    if (filters.length > ROOT_FIELDS) {
      const first = await matchingEach(filters.slice(0, ROOT_FIELDS));
      return [...first, ...(await matchingEach(filters.slice(ROOT_FIELDS)))];
    }
    const names = filters.map((_, at) => `f${at}`);
    const fields = names.map((name) => `${name}: entities(first: 100, filter: $${name}) { nodes { id } }`);
    const query = `query (${names.map((name) => `$${name}: EntityFilter`).join(" ")}) { ${fields.join(" ")} }`;
    const found = await data(query, Object.fromEntries(filters.map((filter, at) => [`f${at}`, filter])));
    return names.map((name) => found[name].nodes.map(({ id }: { id: string }) => id));
  }
  return {
    ask,
    data,
    matchingEach,
    matching: async (filter) => (await matchingEach([filter]))[0] ?? [],
    codeOf: async (query, variables) => (await ask(query, variables)).body.errors?.[0]?.extensions?.code,
  };
}

/** Leaves only these domains in the registry. */
export async function onlyDomains(database: Database, records: readonly DomainRecord[]): Promise<void> {
  const tables = ["domains", "domain_controllers", "domain_history", "domain_search", "changes", "proposals"];
  await database.batch(tables.map((table) => database.prepare(`DELETE FROM ${table}`)));
  for (const record of records) {
    const step = { before: undefined, after: record, action: "created", actor: record.owner } as const;
    await commit(database, stepStatements(database, step));
  }
}
