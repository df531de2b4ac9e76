/**
 * A mock of the chain's GraphQL API with the parts that the SDK uses: entities, accounts, claims. Its schema refuses fields that
 * the real API does not have.
 */
import { buildSchema, graphql } from "graphql";
import { startLocalServer } from "../server/local-server.ts";
import type { Peer } from "./peer.ts";

export interface ChainEntity {
  readonly service?: readonly Readonly<Record<string, string>>[];
  readonly linkedResource?: readonly Readonly<Record<string, string>>[];
}

export interface ChainClaim {
  readonly collectionId: string;
  readonly evaluationByClaimId?: { readonly status: number } | null;
}

export interface ChainPeer extends Peer {
  readonly entities: Map<string, ChainEntity>;
  /** DIDs and their verification methods. */
  readonly accounts: Map<string, readonly Readonly<Record<string, string>>[]>;
  readonly claims: Map<string, ChainClaim>;
  /** Queries so far. */
  readonly queries: number;
}

const schema = buildSchema(`
  scalar JSON
  type Entity { id: String!, service: JSON!, linkedResource: JSON!, settings: JSON, accounts: JSON }
  type Iid { id: String!, service: JSON!, verificationMethod: JSON! }
  type Evaluation { status: Int!, reason: Int }
  type Claim { claimId: String!, collectionId: String!, agentAddress: String, evaluationByClaimId: Evaluation }
  type Query { entity(id: String!): Entity, iid(id: String!): Iid, claim(claimId: String!): Claim }
`);

export async function startChain(): Promise<ChainPeer> {
  const entities = new Map<string, ChainEntity>();
  const accounts = new Map<string, readonly Readonly<Record<string, string>>[]>();
  const claims = new Map<string, ChainClaim>();
  let queries = 0;

  const root = {
    entity({ id }: { readonly id: string }) {
      const entity = entities.get(id);
      return entity === undefined ? null : { id, service: [], linkedResource: [], ...entity };
    },
    iid({ id }: { readonly id: string }) {
      const verificationMethod = accounts.get(id);
      return verificationMethod === undefined ? null : { id, service: [], verificationMethod };
    },
    claim({ claimId }: { readonly claimId: string }) {
      const claim = claims.get(claimId);
      return claim === undefined ? null : { claimId, ...claim };
    },
  };

  const server = await startLocalServer((request, body, response) => {
    response.setHeader("Access-Control-Allow-Origin", "*").setHeader("Access-Control-Allow-Headers", "*");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    queries += 1;
    const { query, variables } = JSON.parse(body) as { query: string; variables: Record<string, unknown> };
    void graphql({ schema, source: query, variableValues: variables, rootValue: root }).then((result) =>
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(result)),
    );
  });
  return {
    name: "chain",
    url: server.origin,
    variables: {},
    entities,
    accounts,
    claims,
    get queries() {
      return queries;
    },
    stop: () => server.close(),
  };
}
