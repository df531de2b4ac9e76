/** Reads records from the chain's GraphQL API: entities, the keys of accounts, claims. */
import { memberOf, requestJson } from "./json-request.ts";

export interface ChainReader {
  readonly graphqlUrl: string;
  readonly fetch?: typeof fetch | undefined;
}

export interface EntityService {
  readonly id: string;
  readonly type: string;
  readonly serviceEndpoint: string;
}

/** A document that an entity links to. */
export interface LinkedResource {
  readonly id: string;
  readonly type: string;
  readonly serviceEndpoint: string;
  /** Identifies the document's revision. */
  readonly proof: string;
}

/** An oracle's record on the chain. */
export interface OracleEntity {
  readonly did: string;
  readonly services: readonly EntityService[];
  readonly resources: readonly LinkedResource[];
}

export interface ClaimRecord {
  readonly collectionId: string;
  /** The result of its evaluation, such as `APPROVED`; undefined until it is evaluated. */
  readonly evaluation: string | undefined;
}

const ENTITY = `query OracleEntity($did: String!) { entity(id: $did) { id service linkedResource } }`;
const KEYS = `query AccountKeys($did: String!) { iid(id: $did) { verificationMethod } }`;
const CLAIM = `query Claim($id: String!) { claim(claimId: $id) { collectionId evaluationByClaimId { status } } }`;

const EVALUATIONS = ["PENDING", "APPROVED", "REJECTED", "DISPUTED", "INVALIDATED", "FLAGGED"];

/** Throws if the chain has no such entity. */
export async function readEntity(chain: ChainReader, did: string): Promise<OracleEntity> {
  const entity = await ask(chain, ENTITY, { did }, "entity");
  if (entity === null) throw new Error(`The chain has no entity ${did}`);
  return {
    did,
    services: listOf(entity, "service").map((service) => texts(service, ["id", "type", "serviceEndpoint"])),
    resources: listOf(entity, "linkedResource").map((resource) =>
      texts(resource, ["id", "type", "serviceEndpoint", "proof"]),
    ),
  };
}

/** The public keys of an account, base58. */
export async function readAccountKeys(chain: ChainReader, did: string): Promise<readonly string[]> {
  const account = await ask(chain, KEYS, { did }, "iid");
  return listOf(account, "verificationMethod")
    .map((method) => memberOf(method, "publicKeyBase58"))
    .filter((key) => typeof key === "string");
}

/** Throws if there is no such claim. */
export async function readClaim(chain: ChainReader, claimId: string): Promise<ClaimRecord> {
  const claim = await ask(chain, CLAIM, { id: claimId }, "claim");
  if (claim === null) throw new Error(`The chain has no claim ${claimId}`);
  const evaluation = memberOf(claim, "evaluationByClaimId") ?? undefined;
  const status = memberOf(evaluation, "status");
  const name = EVALUATIONS[Number(status)] ?? String(status);
  return {
    collectionId: String(memberOf(claim, "collectionId")),
    evaluation: evaluation === undefined ? undefined : name,
  };
}

async function ask(
  chain: ChainReader,
  query: string,
  variables: Readonly<Record<string, string>>,
  member: string,
): Promise<object | null> {
  const answer = await requestJson(chain.graphqlUrl, {
    method: "POST",
    body: { query, variables },
    service: "The chain's GraphQL API",
    fetch: chain.fetch,
  });
  const found = memberOf(memberOf(answer, "data"), member);
  if (typeof found === "object" && found !== null) return found;
  const [error] = listOf(answer, "errors");
  const said = memberOf(error, "message");
  if (typeof said === "string") throw new Error(`The chain's GraphQL API refused: ${said}`);
  return null;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}

/** These members of a record, all of them texts. */
function texts<const Name extends string>(value: unknown, names: readonly Name[]): Record<Name, string> {
  const found = names.map((name) => [name, memberOf(value, name)] as const);
  return Object.fromEntries(found.map(([name, text]) => [name, typeof text === "string" ? text : ""])) as Record<
    Name,
    string
  >;
}
