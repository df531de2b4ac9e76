/**
 * The OpenAPI document is true: every declared route is called with every failure in its declaration. The declarations
 * are enumerated, so that a new route or failure is tested automatically.
 */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { membersOf } from "../../../platform/http/parameters.ts";
import type { RegistryRoute } from "../../../workers/registry/http/route.ts";
import { BODY_BYTES } from "../../../workers/registry/limits.ts";
import { routes } from "../../../workers/registry/router.ts";
import { scopes } from "../../../workers/registry/caller.ts";
import type { Received } from "../../support/server/received.ts";
import {
  ADMIN_TOKEN,
  registryEdge,
  type RegistryCall,
  type RegistryEdge,
} from "../../support/registry/registry-edge.ts";

const settings = {
  DATABASE: env.DATABASE,
  OUTBOX: env.OUTBOX,
  REGISTRY_WEBHOOK_HOSTS: "hooks.test,hooks.example.org",
  REGISTRY_FAILED_ATTEMPTS_PER_MINUTE: "1000000",
};
const edge = registryEdge(settings);
const UNKNOWN = `did:ixo:entity:${"0".repeat(32)}`;
const OWNER = "did:key:z6MkqjV9XjnK1pgRYL1npnHAjnDQT5hRiU9mbbHyEoJJDQm8";

const keys = { full: "", unscoped: "", stranger: "" };
const named = { webhookId: "", keyId: "" };

beforeAll(async () => {
  const all = [...scopes];
  keys.full = await edge.keyOf(OWNER, all, { role: "program" });
  keys.unscoped = await edge.keyOf(OWNER, ["verification:vote"]);
  keys.stranger = await edge.keyOf("did:key:z6MkStranger", ["domains:write", "verification:vote"]);
  await edge.ask("PUT", `/v1/voters/${OWNER}`, { key: keys.full, body: { weight: 1 } });
  const webhook = await edge.ask("POST", "/v1/webhooks", { key: keys.full, body: { url: "https://hooks.test/a" } });
  named.webhookId = webhook.body.id;
  const key = { label: "declared", did: OWNER, scopes: ["domains:read"] };
  named.keyId = (await edge.ask("POST", "/v1/api-keys", { key: ADMIN_TOKEN, body: key })).body.id;
});

type Values = Readonly<Record<string, string>>;

/** A value for each name in a path; the named things exist. */
async function existing({ declaration: { path } }: RegistryRoute): Promise<Values> {
  const body = { type: "Project", class: "did:ixo:protocol/declared" };
  const domain = await edge.ask("POST", "/v1/domains", { key: keys.full, body });
  const id: string = domain.body.id;
  const proposal = path.includes(":pid")
    ? await edge.ask("POST", `/v1/domains/${id}/proposals`, { key: keys.full, body: { title: "Verify", package: {} } })
    : undefined;
  const did = path.startsWith("/1.0/") ? id : OWNER;
  const rest = {
    version: "1",
    list: "service",
    itemId: "%23one",
    name: "reporting",
    importId: "file",
    deliveryId: "x",
  };
  return { id, did, pid: proposal?.body.id ?? "", ...named, ...rest };
}

/** Well-formed, but nothing has these names. */
const absent: Values = {
  id: UNKNOWN,
  did: "did:key:z6MkNobody",
  pid: "prp_none",
  webhookId: "whk_none",
  keyId: "key_none",
  importId: "none",
  version: "999",
};

function pathOf({ declaration: { path } }: RegistryRoute, values: Values): string {
  return path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, (_, name: string) => values[name] ?? "");
}

/** A complete request, built from the declaration. */
function validCall({ declaration }: RegistryRoute): RegistryCall {
  const { auth, body, ifMatch } = declaration;
  const isOperators = auth.security.flat().includes("adminToken");
  return {
    key: isOperators ? ADMIN_TOKEN : keys.full,
    headers: {
      ...(ifMatch === true ? { "If-Match": "*" } : {}),
      ...(body === undefined ? {} : { "Content-Type": body.type ?? "application/json" }),
    },
    ...(body === undefined ? {} : { body: bodyText(body.example ?? {}) }),
  };
}

function bodyText(example: unknown): string {
  return typeof example === "string" ? example : JSON.stringify(example);
}

interface Provocation {
  readonly route: RegistryRoute;
  readonly valid: RegistryCall;
  readonly path: string;
  readonly values: Values;
}

type Provoke = (provocation: Provocation) => Promise<Response>;

interface Change extends Omit<Partial<RegistryCall>, "body"> {
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

function send(target: RegistryEdge, { route, path, valid }: Provocation, change: Change = {}, query = "") {
  const { key, headers, body } = { ...valid, ...change, headers: { ...valid.headers, ...change.headers } };
  const authorization: Record<string, string> =
    key === undefined || key === "" ? {} : { Authorization: `Bearer ${key}` };
  return target.send(
    new Request(`https://registry.test${path}${query}`, {
      method: route.declaration.method.toUpperCase(),
      headers: { ...authorization, ...headers },
      ...(body === undefined ? {} : { body: body as BodyInit }),
    }),
  );
}

/** Its body is one byte too large for the route. */
function tooLarge({ route }: Provocation): string {
  return "x".repeat((route.declaration.body?.limit ?? BODY_BYTES) + 1);
}

const rates = { REGISTRY_READS_PER_MINUTE: "1", REGISTRY_WRITES_PER_MINUTE: "1" };
const brokenDatabase = (message: string) => {
  const fail = () => {
    throw new Error(message);
  };
  return { prepare: fail, batch: fail } as unknown as D1Database;
};
/** Calls the route while the database throws this error. Only the operator's credentials can then be checked. */
const whileDatabase =
  (message: string): Provoke =>
  (each) =>
    send(registryEdge({ ...settings, DATABASE: brokenDatabase(message) }), each);

/** How to provoke each failure, on any route that declares it. */
const provocations: Readonly<Record<string, Provoke>> = {
  unauthenticated: (each) => send(edge, each, { key: "", headers: { Authorization: "Basic eA==" } }),
  invalid_token: (each) => send(edge, each, { key: "twe_test_unknown" }),
  conflicting_credentials: (each) => send(edge, each, { headers: { "X-API-Key": "another" } }),
  insufficient_scope: (each) => {
    const isVote = each.route.declaration.id === "castVote";
    const closed = registryEdge({ ...settings, REGISTRY_PUBLIC_READS: "none" });
    return isVote
      ? edge.keyOf(OWNER, ["domains:read"]).then((key) => send(edge, each, { key }))
      : send(closed, each, { key: keys.unscoped });
  },
  async rate_limited(each) {
    if (each.valid.key === ADMIN_TOKEN) {
      const strict = registryEdge({ ...settings, REGISTRY_FAILED_ATTEMPTS_PER_MINUTE: "1" });
      await send(strict, each, { key: "twe_test_unknown" });
      return send(strict, each, { key: "twe_test_unknown" });
    }
    const slow = registryEdge({ ...settings, ...rates });
    await send(slow, each, {}, "?unknown=1");
    return send(slow, each);
  },
  unknown_parameter: (each) => send(edge, each, {}, "?unknown=1"),
  internal: whileDatabase("a bug"),
  unavailable: whileDatabase("D1_ERROR: Network connection lost."),
  storage_full: whileDatabase("D1_ERROR: database or disk is full: SQLITE_FULL"),
  malformed_json: (each) => {
    if (each.route.declaration.method === "get") return send(edge, each, {}, "?query=x&variables=%7B");
    return send(edge, each, { body: new Uint8Array([0xff]) });
  },
  body_too_large: (each) => send(edge, each, { body: tooLarge(each) }),
  unsupported_media_type: (each) => send(edge, each, { headers: { "Content-Type": "image/png" } }),
  async idempotency_mismatch(each) {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const first = await send(edge, each, { headers });
    expect([200, 201]).toContain(first.status);
    return send(edge, each, { headers, body: bodyText({ ...exampleOf(each.route), title: "Another", extra: 1 }) });
  },
  precondition_required: (each) => send(edge, { ...each, valid: { ...each.valid, headers: {} } }, contentTypeOf(each)),
  version_mismatch: (each) => send(edge, each, { headers: { "If-Match": '"v999"' } }),
  not_found: ({ route, valid, values }) => {
    const path = pathOf(route, { ...values, ...absent });
    return send(edge, { route, valid, values, path });
  },
  not_controller: (each) => send(edge, each, { key: keys.stranger }),
  not_in_electorate: (each) => send(edge, each, { key: keys.stranger }),
  not_proposer: (each) => send(edge, each, { key: keys.stranger }),
  invalid_cursor: (each) => {
    const { query } = each.route.declaration;
    return send(edge, each, {}, "cursor" in (query?.shape ?? {}) ? "?cursor=nothing" : "?after=999999999");
  },
  unknown_field: (each) => send(edge, each, { body: bodyText({ ...exampleOf(each.route), unknownMember: 1 }) }),
  idempotency_not_supported: (each) => send(edge, each, { headers: { "Idempotency-Key": "one" } }),
  INVALID_DID: (each) => send(edge, { ...each, path: "/1.0/identifiers/nothing" }),
  INVALID_OPTIONS: (each) => send(edge, each, {}, "?unknown=1"),
  NOT_FOUND: (each) => send(edge, { ...each, path: `/1.0/identifiers/${UNKNOWN}` }),
  REPRESENTATION_NOT_SUPPORTED: (each) => send(edge, each, { headers: { Accept: "image/png" } }),
  METHOD_NOT_SUPPORTED: (each) => send(edge, { ...each, path: "/1.0/identifiers/did:web:example.org" }),
  FEATURE_NOT_SUPPORTED: (each) => send(edge, each, {}, "?expandRelativeUrls=true"),
};

function exampleOf({ declaration: { body } }: RegistryRoute): object {
  return typeof body?.example === "object" && body.example !== null ? body.example : {};
}

function contentTypeOf({ route }: Provocation): Change {
  const { body } = route.declaration;
  return body === undefined ? {} : { headers: { "Content-Type": body.type ?? "application/json" } };
}

/** Failures that need a history of the domain or the proposal, or one particular body: their own tests provoke them. */
const heldElsewhere: readonly string[] = [
  // A session of staff gets it: staff/roles.test.ts.
  "role_not_allowed",
  "validation_failed",
  "invalid_did",
  "invalid_page_size",
  "class_conflict",
  "class_cycle",
  "read_only_field",
  "immutable_field",
  "suspended_by_admin",
  "domain_deactivated",
  "write_contention",
  "proposal_open",
  "already_verified",
  "not_verified",
  "domain_not_active",
  "domain_expired",
  "no_eligible_voters",
  "package_mismatch",
  "proposal_closed",
  "voting_closed",
  "already_voted",
  "not_eligible",
  "key_not_rotatable",
  "query_too_costly",
  "voter_cannot_vote",
  "quota_exceeded",
];

/** Failures that the standard of DID resolution does not distinguish. */
const OUTAGES = ["internal", "unavailable", "storage_full"];

/** The failure in the form of the path. */
function reasonOf(body: Received): string {
  const resolution: string | undefined = body.didResolutionMetadata?.error?.type;
  if (resolution !== undefined) return resolution.split(/[:#]/).at(-1) ?? "";
  return body.code ?? body.errors?.[0]?.extensions?.code;
}

async function failureOf(response: Response): Promise<readonly [number, string]> {
  return [response.status, reasonOf(JSON.parse(await response.text()))];
}

const listed = routes.map((route) => [route.declaration.id, route] as const);

async function provocationOf(route: RegistryRoute): Promise<Provocation> {
  const values = await existing(route);
  return { route, values, path: pathOf(route, values), valid: validCall(route) };
}

test("there are routes, and each declared failure is provoked here or known to be tested elsewhere", () => {
  expect(routes.length).toBeGreaterThan(50);
  const declared = new Set(routes.flatMap((route) => route.document().failures));
  expect([...declared].filter((reason) => !Object.hasOwn(provocations, reason)).toSorted()).toEqual(
    heldElsewhere.toSorted(),
  );
});

describe("declared failures happen [RG-1, RG-24, RG-30, RG-33]", () => {
  const cases = listed.flatMap(([id, route]) =>
    route.document().failures.flatMap((reason) => {
      const provoke = provocations[reason];
      return provoke === undefined ? [] : [[`${id} ${reason}`, route, reason, provoke] as const];
    }),
  );
  test.each(cases)("%s", async (_, route, reason, provoke) => {
    const provocation = await provocationOf(route);
    const response = await provoke(provocation);
    const [status, found] = await failureOf(response);
    const isResolution = route.declaration.path.startsWith("/1.0/");
    expect(found).toBe(isResolution && OUTAGES.includes(reason) ? "INTERNAL_ERROR" : reason);
    const { content } = route.document().operation.responses[status] ?? {};
    expect(JSON.stringify(content ?? null)).not.toBe("null");
    expect(route.document().operation.responses[status]?.description).toContain(reason);
  });
});

describe("a value that violates a schema fails as declared [RG-30, RG-31]", () => {
  const NONSENSE = "\u0000";
  const cases = listed.flatMap(([id, route]) => {
    const { params, query } = route.declaration;
    const parts = [
      ...(params === undefined ? [] : membersOf(params).map((member) => ["params", member] as const)),
      ...(query === undefined ? [] : membersOf(query).map((member) => ["query", member] as const)),
    ];
    return parts.flatMap(([part, { name, schema, ownFailure }]) => {
      const fails = ownFailure !== undefined || !z.safeParse(schema, NONSENSE).success;
      const reason = ownFailure?.reason ?? "validation_failed";
      return fails ? [[`${id} ${part} ${name}`, route, { part, name, reason }] as const] : [];
    });
  });

  test("there are such values", () => expect(cases.length).toBeGreaterThan(50));

  test.each(cases)("%s", async (_, route, { part, name, reason }) => {
    const provocation = await provocationOf(route);
    const values = part === "params" ? { ...provocation.values, [name]: "%00" } : provocation.values;
    const query = part === "query" ? `?${name}=%00` : "";
    const response = await send(edge, { ...provocation, path: pathOf(route, values) }, {}, query);
    const [status, found] = await failureOf(response);
    expect(found).toBe(reason);
    expect(route.document().failures).toContain(reason);
    expect(Object.keys(route.document().operation.responses)).toContain(String(status));
  });
});
