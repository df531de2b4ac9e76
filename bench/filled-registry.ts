/** A registry under load: its key, its domains, and the measured requests. */
import { randomBytes, randomUUID } from "node:crypto";
import { FEW_DOMAINS } from "./arguments.ts";
import { fetchText, type RequestSpec } from "./load.ts";
import type { Runtime } from "./runtime.ts";
import { syntheticLines } from "./synthetic-domains.ts";

export interface FilledRegistry {
  readonly runtime: Runtime;
  /** Domains before the first measured creation. */
  readonly count: number;
  /** With a stored key, so that each request looks it up. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ids spread over the whole table. */
  readonly ids: readonly string[];
}

/** Lines per import request, the maximum. */
const LINES = 1_000;
/** Progress reports in all. */
const REPORTS = 10;

const filled = new WeakMap<Runtime, Promise<FilledRegistry>>();

/** Filled by imports on first use. The domains are deterministic, their ids are not. */
export function filledRegistry(runtime: Runtime, count: number, say: (line: string) => void): Promise<FilledRegistry> {
  const registry = filled.get(runtime) ?? fill(runtime, count, say);
  filled.set(runtime, registry);
  return registry;
}

async function fill(runtime: Runtime, count: number, say: (line: string) => void): Promise<FilledRegistry> {
  const headers = await makeKey(runtime);
  const began = performance.now();
  const ids: string[] = [];
  let done = 0;
  for (const lines of requestsOf(syntheticLines(count))) {
    const report = await fetchText(runtime.oracle, {
      path: `/v1/imports/bench/lines?firstLine=${done + 1}`,
      method: "POST",
      headers: { ...headers, "Content-Type": "application/x-ndjson" },
      body: lines.join(""),
    });
    const created = [...report.matchAll(/"status":"created","id":"(.+?)"/g)].map(([, id = ""]) => id);
    if (created.length !== lines.length) throw new Error(`domains were not imported:\n${report}`);
    ids.push(...created.filter((_, at) => at % Math.ceil(count / FEW_DOMAINS) === 0));
    const before = done;
    done += lines.length;
    if (Math.floor((done / count) * REPORTS) > Math.floor((before / count) * REPORTS)) {
      say(`  ${done.toLocaleString("en-US")} domains after ${Math.round((performance.now() - began) / 1000)} s`);
    }
  }
  return { runtime, count, headers, ids };
}

function* requestsOf(lines: Iterable<string>): Generator<readonly string[]> {
  let request: string[] = [];
  for (const line of lines) {
    if (request.push(line) < LINES) continue;
    yield request;
    request = [];
  }
  if (request.length > 0) yield request;
}

/** The headers of requests with a stored key. */
export async function makeKey({ oracle, adminToken }: Runtime): Promise<FilledRegistry["headers"]> {
  const answer = await fetchText(oracle, {
    path: "/v1/api-keys",
    method: "POST",
    headers: json(adminToken),
    body: JSON.stringify({ label: "bench", did: "did:web:bench.example", scopes: ["domains:write", "registry:admin"] }),
  });
  return json((JSON.parse(answer) as { key: string }).key);
}

function json(secret: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
}

/** One kind of request, and the values that the bare Worker replaces in it. */
export interface RequestKind {
  readonly next: () => RequestSpec;
  /** Texts of a request of this kind, and of its answer, that differ between requests. */
  readonly marks: (spec: RequestSpec, answer: string) => readonly string[];
  /** The corresponding texts for the next request. */
  readonly texts: () => readonly string[];
}

const GRAPHQL = `query Point($id: String!) {
  entity(id: $id) { id type name status verificationStatus owner validFrom metadata createdAt updatedAt }
}`;

export function requestKinds({ count, headers, ids }: FilledRegistry) {
  let asked = 0;
  // A stride that visits all domains, far apart.
  const id = (): string => ids[(asked += 619) % ids.length] ?? "";
  const same = { marks: () => [], texts: () => [] };
  const get = (path: string): RequestKind => ({ next: () => ({ path, headers }), ...same });
  const idOfCreated = (answer: string): string => (JSON.parse(answer) as { id: string }).id;
  const newId = (): string => `did:ixo:entity:${randomBytes(16).toString("hex")}`;
  const [body = ""] = syntheticLines(1);
  return {
    get: {
      next: () => ({ path: `/v1/domains/${id()}`, headers }),
      marks: ({ path }) => [path.slice("/v1/domains/".length)],
      texts: () => [id()],
    },
    list: get("/v1/domains?limit=20&type=Project&class=did:ixo:protocol/water"),
    word: get("/v1/domains?limit=20&q=nairobi"),
    // The number in the name of one domain; no larger number begins with it.
    rare: get(`/v1/domains?limit=20&q=${Math.ceil(count / 2) + 1}`),
    words: get("/v1/domains?limit=20&q=well%20nai"),
    create: {
      next: () => ({ path: "/v1/domains", method: "POST", headers, body }),
      marks: (_spec, answer) => [idOfCreated(answer)],
      texts: () => [newId()],
    },
    createOnce: {
      next: () => ({
        path: "/v1/domains",
        method: "POST",
        headers: { ...headers, "Idempotency-Key": randomUUID() },
        body,
      }),
      marks: (spec, answer) => [idOfCreated(answer), spec.headers?.["Idempotency-Key"] ?? ""],
      texts: () => [newId(), randomUUID()],
    },
    graphql: {
      next: () => ({
        path: "/graphql",
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ query: GRAPHQL, variables: { id: id() } }),
      }),
      marks: ({ body = "" }) => [(JSON.parse(String(body)) as { variables: { id: string } }).variables.id],
      texts: () => [id()],
    },
  } satisfies Readonly<Record<string, RequestKind>>;
}
