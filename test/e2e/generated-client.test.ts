/** Clients generated from the OpenAPI documents of the registry and the query gateway: they type-check, and they work. */
import { beforeAll, describe, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { generatedClient, type GeneratedClient } from "../support/registry/generated-client.ts";
import { startRunningServer } from "../support/server/running-server.ts";

const KEY = "generated-client-key";

/** Typical first code; each line covers a type that must be right. */
const REGISTRY_PROGRAM = `
import { Api, ContentType, type Domain, type ImportReport } from "./Api.ts";

export async function run(baseUrl: string, key: string): Promise<object> {
  const anybody = new Api({ baseUrl });
  const client = new Api<string>({
    baseUrl,
    securityWorker: (token) => (token === null ? {} : { headers: { Authorization: \`Bearer \${token}\` } }),
  });
  client.setSecurityData(key);
  const created: Domain = (
    await client.v1.createDomain({
      type: "Project",
      protocol: "did:ixo:protocol/clean-cooking",
      metadata: { name: "Generated" },
      document: { service: [{ id: "{id}#web", type: "LinkedDomains", serviceEndpoint: "https://example.org" }] },
    })
  ).data;
  const etag: string = \`"v\${created.version}"\`;
  const changed = await client.v1.updateDomain(
    created.id,
    { metadata: { name: "Changed" }, validUntil: null },
    { headers: { "If-Match": etag, "Content-Type": "application/merge-patch+json" } },
  );
  const page = await client.v1.listDomains({ type: ["project"], sort: "-createdAt", limit: 5, count: "true" });
  const total: number | undefined = page.data.page.total;
  const next: string | null = page.data.page.nextCursor;
  const names: (string | null)[] = page.data.data.map(({ name }) => name);
  const status: "active" | "suspended" | "deactivated" = changed.data.status;
  const { reporting } = changed.data.services;
  const card = await client.v1.getDomainCard(created.id);
  const history = await client.v1.listHistory(created.id);
  const eligibility = await client.v1.getEligibility(created.id, { activity: "issuance" });
  const rules = await client.v1.getVerificationRules();
  const sent = await client.v1.importDomains(
    "generated",
    \`\${JSON.stringify({ type: "Project", class: created.class })}\\n\`,
    { firstLine: 1, dryRun: "true" },
    { type: ContentType.Text },
  );
  const [report] = (await sent.text()).split("\\n").map((line): ImportReport | undefined =>
    line === "" ? undefined : (JSON.parse(line) as ImportReport),
  );
  const refused = await client.v1.getDomain("did:ixo:entity:none").catch((response: { error: { code: string } }) => response);
  const open = await anybody.v1.getDomainCard(created.id);
  return {
    total,
    next,
    names,
    status,
    enabled: reporting.enabled,
    card: card.data.id,
    open: open.data.credentialSubject["name"],
    actions: history.data.data.map(({ action, changes }) => [action, changes.length > 0]),
    eligible: eligibility.data.eligible,
    quorum: typeof rules.data.rules.quorumBp,
    report: report?.status,
    code: "error" in refused ? refused.error?.code : undefined,
    // @ts-expect-error a status that does not exist
    wrong: changed.data.status === "gone",
  };
}
`;

/** The gateway's program. A body may contain only its own members, or a previous answer. */
const GATEWAY_PROGRAM = `
import { Api } from "./Api.ts";

export async function run(baseUrl: string): Promise<object> {
  const client = new Api({ baseUrl });
  const params = await client.ixo.ixoTokenV1Beta1QueryParams();
  const code: string = params.data.params.ixo1155_contract_code;
  const page = await client.ixo.ixoClaimsV1Beta1QueryClaimList({ "pagination.limit": "1" });
  const next: string | null | undefined = page.data.pagination?.next_key;
  const refused = await client.cosmos
    .cosmosTxV1Beta1ServiceSimulate({
      tx: {
        body: { messages: [{ "@type": "/cosmos.bank.v1beta1.MsgSend", amount: [] }], timeout_height: 5 },
        auth_info: { fee: { gas_limit: "1" }, tip: null },
      },
    })
    .catch((response: { error: { code: number } }) => response);
  // @ts-expect-error a member that does not exist
  void (() => client.cosmos.cosmosTxV1Beta1ServiceSimulate({ memo: "m" }));
  // @ts-expect-error an enum in a query is a name
  void (() => client.cosmos.cosmosGovV1QueryProposals({ proposal_status: "NOPE" }));
  return { code, next: typeof next, refused: "error" in refused ? refused.error?.code : undefined };
}
`;

let registry: GeneratedClient;
let gateway: GeneratedClient;

const started = disposeAfterTests();
beforeAll(async () => {
  const keys = [{ key: KEY, did: "did:web:client.test", scopes: ["registry:admin"] }];
  const deployments = [{ name: "open", enabled: ["cosmos.tx.v1beta1.Service/Simulate"] }];
  const { url } = started(
    await startRunningServer({
      REGISTRY_BOOTSTRAP_KEYS: JSON.stringify(keys),
      GATEWAY_CONFIG: JSON.stringify({ deployments }),
    }),
  );
  registry = started(await generatedClient(url, "registry", REGISTRY_PROGRAM));
  gateway = started(await generatedClient(url, "query-gateway", GATEWAY_PROGRAM));
});

describe("the registry's", () => {
  test("type-checks", () => {
    expect(registry.typeCheck()).toBe("");
  });

  test("works", () => {
    expect(registry.run(KEY)).toEqual({
      total: 1,
      next: null,
      names: ["Changed"],
      status: "active",
      enabled: false,
      card: expect.stringMatching(/#dmn$/),
      open: "Changed",
      actions: [
        ["updated", true],
        ["created", true],
      ],
      eligible: false,
      quorum: "number",
      report: "valid",
      code: "not_found",
      wrong: false,
    });
  });
});

describe("the query gateway's [QG-126]", () => {
  test("type-checks", () => {
    expect(gateway.typeCheck()).toBe("");
  });

  test("works", () => {
    // The embedded node has no transactions; the body was parsed before that.
    expect(gateway.run()).toEqual({ code: "25", next: "string", refused: 12 });
  });
});
