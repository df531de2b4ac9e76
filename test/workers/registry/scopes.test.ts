/**
 * The operations that each scope opens: every operation in the API's description is called with a key that has only
 * that scope. Admins neither propose nor vote, and no key manages keys.
 */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { registryEdge } from "../../support/registry/registry-edge.ts";

const { DATABASE } = env;
const edge = registryEdge({ DATABASE });

const scopes = [
  "domains:read",
  "domains:write",
  "verification:propose",
  "verification:vote",
  "registry:admin",
] as const;
type Scope = (typeof scopes)[number];

const readers: readonly Scope[] = ["domains:read", "domains:write", "registry:admin"];
const writers: readonly Scope[] = ["domains:write", "registry:admin"];
const administrators: readonly Scope[] = ["registry:admin"];

/** Any one of these scopes is enough. */
const openedBy: Readonly<Record<string, readonly Scope[]>> = {
  // For any key: the proposal decides who can withdraw it.
  ...forEach(scopes, "listDomainTypes", "getVerificationRules", "getCurrentApiKey", "withdrawProposal"),
  // Open without a key, too; the last two belong to every surface.
  ...forEach(scopes, "getDomainCard", "resolveDid", "queryGraphql", "queryGraphqlByUrl", "readRoot", "readHealth"),
  ...forEach(readers, "listDomains", "getDomain", "getCompositeDomain", "getDomainDocument", "getDomainMarkdown"),
  ...forEach(readers, "listHistory", "getHistoricVersion", "getEligibility", "getService"),
  ...forEach(readers, "exportDomains", "listChanges", "listLabels"),
  ...forEach(readers, "listProposals", "listDomainProposals", "getProposal", "listVotes", "getOwnVote", "listOwnVotes"),
  ...forEach(writers, "createDomain", "updateDomain", "deactivateDomain", "putDocumentItem", "deleteDocumentItem"),
  ...forEach(writers, "putDomainMarkdown", "postDomainMarkdown", "switchService"),
  ...forEach(["verification:propose"], "createProposal"),
  ...forEach(["verification:vote"], "castVote"),
  ...forEach(administrators, "listVoters", "getVoter", "putVoter", "deleteVoter", "listVoterChanges"),
  ...forEach(administrators, "listImports", "getImport", "importDomains"),
  ...forEach(administrators, "listWebhooks", "createWebhook", "getWebhook", "updateWebhook", "deleteWebhook"),
  ...forEach(administrators, "pingWebhook", "rotateWebhookSecret", "listWebhookDeliveries"),
  ...forEach(administrators, "replayWebhookDelivery", "replayWebhookDeadLetters"),
};

/** For ADMIN_TOKEN only. */
const operatorsOnly = ["listApiKeys", "createApiKey", "getApiKey", "rotateApiKey", "revokeApiKey"];

function forEach(opening: readonly Scope[], ...operations: readonly string[]): Record<string, readonly Scope[]> {
  return Object.fromEntries(operations.map((operation) => [operation, opening]));
}

interface Operation {
  readonly id: string;
  readonly method: string;
  /** The path with its parameters filled in; nothing is found there. */
  readonly path: string;
}

async function describedOperations(): Promise<readonly Operation[]> {
  const { body } = await edge.ask("GET", "/openapi/registry.json");
  return Object.entries(body.paths as Readonly<Record<string, object>>).flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, { operationId?: string }>>).flatMap(([method, { operationId }]) =>
      operationId === undefined ? [] : [{ id: operationId, method: method.toUpperCase(), path: filled(path) }],
    ),
  );
}

/** A domain's id where one belongs, otherwise a number of the right kind; and the query that an operation requires. */
function filled(path: string): string {
  const named = path.replaceAll(/\{(?:id|did)\}/g, `did:ixo:entity:${"0".repeat(32)}`).replaceAll(/\{\w+\}/g, "1");
  return path.endsWith("/lines") ? `${named}?firstLine=1` : named;
}

const outcomeOf = async (key: string, { method, path }: Operation): Promise<string> => {
  const { status, headers } = await edge.call(method, path, { key });
  if (status === 401) return "unauthenticated";
  const isMissing = headers.get("WWW-Authenticate")?.includes('error="insufficient_scope"') === true;
  return status === 403 && isMissing ? "insufficient_scope" : "open";
};

let operations: readonly Operation[] = [];
beforeAll(async () => {
  operations = await describedOperations();
});

test("every operation of the API is called", () => {
  const known = [...Object.keys(openedBy), ...operatorsOnly];
  expect(operations.map(({ id }) => id).toSorted()).toEqual(known.toSorted());
});

describe.each(scopes)("a key with %s", (scope) => {
  let key = "";
  beforeAll(async () => {
    const more = scope === "verification:propose" ? { role: "program" } : {};
    key = await edge.keyOf(`did:web:scopes.test:${scope}`, [scope], more);
  });

  test("opens its own operations and nothing else [RG-5, RG-18]", async () => {
    const outcomes: Record<string, string> = {};
    for (const operation of operations) outcomes[operation.id] = await outcomeOf(key, operation);
    const expected = Object.entries(openedBy).map(([id, opening]) => [
      id,
      opening.includes(scope) ? "open" : "insufficient_scope",
    ]);
    const closed = operatorsOnly.map((id) => [id, "unauthenticated"]);
    expect(outcomes).toEqual(Object.fromEntries([...expected, ...closed]));
  });
});
