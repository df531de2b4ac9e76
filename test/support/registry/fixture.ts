/**
 * A registry with registered voters, a representative, a controller and an admin, for tests of governance inside workerd. Voters
 * are shared by the whole database, so each fixture clears them before it adds its own.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import { readBallot } from "../../../workers/registry/commands/cast-vote.ts";
import { castStatements, dueStatement } from "../../../workers/registry/store/vote-store.ts";
import { registryEdge, type Answered, type RegistryCall, type RegistryEdge } from "./registry-edge.ts";

let fixtures = 0;

export type Option = "yes" | "no" | "abstain" | "no_with_veto";

export interface RegistryFixture {
  readonly edge: RegistryEdge;
  readonly database: Database;
  readonly admin: string;
  /** A representative's key, with its DID. */
  readonly proposer: string;
  readonly proposerDid: string;
  /** A key of the controller of every domain here. */
  readonly controller: string;
  readonly controllerDid: string;
  readonly voterDids: readonly string[];
  /** The key of the voter with that index. */
  readonly voters: readonly string[];
  ask(method: string, path: string, call?: RegistryCall): Promise<Answered>;
  /** The id of a new domain. */
  domain(more?: object): Promise<string>;
  /** The id of a new proposal; its body may be changed. */
  propose(domainId: string, more?: object): Promise<string>;
  vote(proposalId: string, voter: number, option?: Option, more?: object): Promise<Answered>;
  read(path: string): Promise<Answered["body"]>;
  /** A domain that was proposed and passed with every voter's yes. */
  verified(more?: object): Promise<string>;
  /** PATCH with the current ETag. */
  patch(domainId: string, body: object): Promise<Answered>;
  /** The registry with another database object or configuration. */
  withSettings(env: object): RegistryEdge;
  /** The actions of a domain's history, oldest first. */
  history(domainId: string): Promise<readonly string[]>;
  finalise(): Promise<void>;
}

export async function createRegistryFixture(
  database: Database,
  weights: readonly number[],
  env: object = {},
): Promise<RegistryFixture> {
  const name = `registry-${(fixtures += 1)}`;
  const didOf = (who: string) => `did:web:${name}.test:${who}`;
  const keyOf = (who: string) => `key-of-${who}-at-${name}`;
  const voterNames = weights.map((_, at) => `voter-${at}`);
  const votes = ["domains:read", "verification:vote"] as const;
  const keys = [
    { who: "admin", scopes: ["registry:admin"] },
    { who: "proposer", scopes: ["domains:read", "verification:propose", "verification:vote"], role: "compliance" },
    { who: "controller", scopes: ["domains:write", "verification:vote"] },
    ...voterNames.map((who) => ({ who, scopes: votes })),
  ].map(({ who, ...key }) => ({ key: keyOf(who), did: didOf(who), ...key }));
  const settings = { REGISTRY_BOOTSTRAP_KEYS: JSON.stringify(keys), ...env };
  const edge = registryEdge({ DATABASE: database, ...settings });
  const voterDids = voterNames.map(didOf);
  const enrol = database.prepare("INSERT INTO voters (did, weight, added_at, updated_at) VALUES (?, ?, 0, 0)");
  await database.batch([
    database.prepare("DELETE FROM voters"),
    ...voterDids.map((did, at) => enrol.bind(did, weights[at])),
  ]);
  const [admin, proposer, controller] = [keyOf("admin"), keyOf("proposer"), keyOf("controller")];
  const voters = voterNames.map(keyOf);

  const sure = (answered: Answered): Answered => {
    if (answered.status < 300) return answered;
    throw new Error(`refused: ${answered.status} ${JSON.stringify(answered.body)}`);
  };
  const fixture: RegistryFixture = {
    edge,
    database,
    admin,
    proposer,
    proposerDid: didOf("proposer"),
    controller,
    controllerDid: didOf("controller"),
    voterDids,
    voters,
    ask: edge.ask,
    async domain(more = {}) {
      const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name }, ...more };
      return String(sure(await edge.ask("POST", "/v1/domains", { key: controller, body })).body.id);
    },
    async propose(domainId, more = {}) {
      const body = { title: "Verify", package: {}, ...more };
      const path = `/v1/domains/${domainId}/proposals`;
      return String(sure(await edge.ask("POST", path, { key: proposer, body })).body.id);
    },
    vote: async (proposalId, voter, option = "yes", more = {}) =>
      edge.ask("POST", `/v1/proposals/${proposalId}/votes`, { key: voters[voter] ?? "", body: { option, ...more } }),
    read: async (path) => sure(await edge.ask("GET", path, { key: proposer })).body,
    async verified(more = {}) {
      const domainId = await fixture.domain(more);
      const proposalId = await fixture.propose(domainId);
      for (const voter of voters.keys()) await fixture.vote(proposalId, voter);
      const { verificationStatus } = await fixture.read(`/v1/domains/${domainId}`);
      if (verificationStatus !== "Verified") throw new Error(`not verified: ${verificationStatus}`);
      return domainId;
    },
    async patch(domainId, body) {
      const { version } = await fixture.read(`/v1/domains/${domainId}`);
      const headers = { "If-Match": `"v${version}"` };
      return edge.ask("PATCH", `/v1/domains/${domainId}`, { key: controller, headers, body });
    },
    withSettings: (more) => {
      const other = registryEdge({ DATABASE: database, ...settings, ...more });
      other.clock.now = edge.clock.now;
      return other;
    },
    async history(domainId) {
      const { data } = await fixture.read(`/v1/domains/${domainId}/history?limit=100`);
      return data.map(({ action }: { action: string }) => action).toReversed();
    },
    async finalise() {
      const context = { waitUntil: () => undefined };
      await edge.registry.scheduled({ DATABASE: database } as unknown as Env, context, edge.clock.now);
    },
  };
  return fixture;
}

/** A database in which another writer acts before the first batch that writes: a race seen from inside. */
export function interrupted(database: Database, meanwhile: () => Promise<unknown>): Database {
  const writing = new WeakSet<Statement>();
  let isDone = false;
  const prepare = (text: string): Statement => {
    const statement = database.prepare(text);
    if (!/^\s*(?:INSERT|UPDATE|DELETE)/.test(text)) return statement;
    const bind = statement.bind.bind(statement);
    statement.bind = (...values) => {
      const bound = bind(...values);
      writing.add(bound);
      return bound;
    };
    return statement;
  };
  const batch = async (statements: Statement[]) => {
    if (!isDone && statements.some((statement) => writing.has(statement))) {
      isDone = true;
      await meanwhile();
    }
    return database.batch(statements);
  };
  return new Proxy(database, {
    get(target, name) {
      if (name === "batch") return batch;
      if (name === "prepare") return prepare;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** A deciding vote of the first voter as older releases stored it: the decision is due and not executed. */
export async function decidedButNotExecuted(
  { database, voterDids, edge }: RegistryFixture,
  proposalId: string,
): Promise<void> {
  const read = await readBallot({ database }, proposalId, voterDids[0] ?? "");
  if (!read.ok) throw new Error(read.error.message);
  const { weight: power, ballot } = read.value;
  const castAt = Math.max(edge.clock.now, ballot.createdAt);
  const vote = { proposalId, voter: voterDids[0] ?? "", option: "yes", power, rationale: null, castAt } as const;
  await database.batch([...castStatements(database, vote, undefined), dueStatement(database, vote)]);
}
