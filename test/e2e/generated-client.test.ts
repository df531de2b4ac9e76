/** Clients generated from the OpenAPI documents of the registry and the query gateway: they type-check, and they work. */
import { beforeAll, describe, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { generatedClient, type GeneratedClient } from "../support/registry/generated-client.ts";
import { startRunningServer } from "../support/server/running-server.ts";

const KEY = "generated-client-key";

/** Typical first code; each line covers a type that must be right. */
const REGISTRY_PROGRAM = `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.ts";

type Schemas = components["schemas"];

export async function run(baseUrl: string, key: string): Promise<object> {
  const anybody = createClient<paths>({ baseUrl });
  const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } });
  const created: Schemas["Domain"] = dataOf(
    await client.POST("/v1/domains", {
      body: {
        type: "Project",
        protocol: "did:ixo:protocol/clean-cooking",
        metadata: { name: "Generated" },
        document: { service: [{ id: "{id}#web", type: "LinkedDomains", serviceEndpoint: "https://example.org" }] },
      },
    }),
  );
  const path = { id: created.id };
  const changed = dataOf(
    await client.PATCH("/v1/domains/{id}", {
      params: { path, header: { "If-Match": \`"v\${created.version}"\` } },
      headers: { "Content-Type": "application/merge-patch+json" },
      body: { metadata: { name: "Changed" }, validUntil: null },
    }),
  );
  const page = dataOf(
    await client.GET("/v1/domains", {
      params: { query: { type: ["project"], sort: "-createdAt", limit: 5, count: "true" } },
    }),
  );
  const total: number | undefined = page.page.total;
  const next: string | null = page.page.nextCursor;
  const names: (string | null)[] = page.data.map(({ name }) => name);
  const status: "active" | "suspended" | "deactivated" = changed.status;
  const { reporting } = changed.services;
  const card = dataOf(await client.GET("/v1/domains/{id}/card", { params: { path } }));
  const history = dataOf(await client.GET("/v1/domains/{id}/history", { params: { path } }));
  const eligibility = dataOf(
    await client.GET("/v1/domains/{id}/eligibility", { params: { path, query: { activity: "issuance" } } }),
  );
  const rules = dataOf(await client.GET("/v1/verification-rules"));
  const sent: string = dataOf(
    await client.POST("/v1/imports/{importId}/lines", {
      params: { path: { importId: "generated" }, query: { firstLine: 1, dryRun: "true" } },
      headers: { "Content-Type": "application/x-ndjson" },
      body: \`\${JSON.stringify({ type: "Project", class: created.class })}\\n\`,
      bodySerializer: (lines) => lines,
      parseAs: "text",
    }),
  );
  const [report] = sent.split("\\n").map((line): Schemas["ImportReport"] | undefined =>
    line === "" ? undefined : (JSON.parse(line) as Schemas["ImportReport"]),
  );
  const refused = await client.GET("/v1/domains/{id}", { params: { path: { id: "did:ixo:entity:none" } } });
  const open = dataOf(await anybody.GET("/v1/domains/{id}/card", { params: { path } }));
  return {
    total,
    next,
    names,
    status,
    enabled: reporting.enabled,
    card: card.id,
    open: open.credentialSubject["name"],
    actions: history.data.map(({ action, changes }) => [action, changes.length > 0]),
    eligible: eligibility.eligible,
    quorum: typeof rules.rules.quorumBp,
    report: report?.status,
    code: refused.error?.code,
    // @ts-expect-error a status that does not exist
    wrong: changed.status === "gone",
  };
}

function dataOf<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}
`;

/** The gateway's program. A body may contain only its own members, or a previous answer. */
const GATEWAY_PROGRAM = `
import createClient from "openapi-fetch";
import type { paths } from "./api.ts";

type Simulation = NonNullable<paths["/cosmos/tx/v1beta1/simulate"]["post"]["requestBody"]>["content"]["application/json"];

export async function run(baseUrl: string): Promise<object> {
  const client = createClient<paths>({ baseUrl });
  const params = await client.GET("/ixo/token/params");
  const code: string | undefined = params.data?.params.ixo1155_contract_code;
  const page = await client.GET("/ixo/claims/claims", { params: { query: { "pagination.limit": "1" } } });
  const next: string | null | undefined = page.data?.pagination?.next_key;
  const refused = await client.POST("/cosmos/tx/v1beta1/simulate", {
    body: {
      tx: {
        body: { messages: [{ "@type": "/cosmos.bank.v1beta1.MsgSend", amount: [] }], timeout_height: 5 },
        auth_info: { fee: { gas_limit: "1" }, tip: null },
      },
    } satisfies Simulation,
  });
  // @ts-expect-error a member that does not exist
  void ({ memo: "m" } satisfies Simulation);
  // @ts-expect-error an enum in a query is a name
  void (() => client.GET("/cosmos/gov/v1/proposals", { params: { query: { proposal_status: "NOPE" } } }));
  return { code, next: typeof next, refused: refused.error?.code };
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
