/**
 * The console's forms agree with the server's own schemas: the server accepts what a form accepts, as far as a JSON Schema can
 * express it, and no form refuses what the server accepts.
 */
import { readdirSync, readFileSync } from "node:fs";
import { Validator, type Schema } from "@cfworker/json-schema";
import { expect, test } from "vitest";
import { routes } from "../../workers/registry/router.ts";
import { projectRoot } from "../run-command.ts";

const folder = `${projectRoot}/console/src/api/forms`;
const DID = "did:web:example.org";
const domain = { type: "Project", class: "did:ixo:protocol/clean-cooking" };
const longest = (count: number): string => "é".repeat(count);

const ofService = {
  ...domain,
  document: { service: [{ id: "#s", type: "LinkedDomains", serviceEndpoint: "https://a.b" }] },
};

/** Bodies that both accept, and bodies that both refuse. */
const bodies: Readonly<Record<string, { readonly good: readonly object[]; readonly bad: readonly object[] }>> = {
  "create-domain": {
    good: [
      domain,
      { type: " Project ", protocol: ` ${DID}?a=b#c `, controllers: [DID], validFrom: " 2026-01-31 ", unknown: 1 },
      { ...domain, externalId: longest(128), relayerNode: null, accounts: [{ name: "a", address: "b" }] },
      { ...ofService, validUntil: "2026-01-31T12:00:00+02:00", metadata: { name: "Cookstoves" }, status: "active" },
    ],
    bad: [
      {},
      { ...domain, type: " " },
      { ...domain, class: "clean-cooking" },
      { ...domain, controllers: [] },
      { ...domain, controllers: ["did:Web:a"] },
      { ...domain, externalId: longest(129) },
      { ...domain, externalId: "a\u0085" },
      { ...domain, validFrom: "tomorrow" },
      { ...domain, metadata: [] },
      { ...domain, document: { service: [{ id: "#s", type: "", serviceEndpoint: "https://a.b" }] } },
      { ...domain, document: { service: [{ id: "#s", type: "A", serviceEndpoint: "example" }] } },
    ],
  },
  "update-domain": {
    good: [{}, { metadata: { name: "New" } }, { status: "suspended", validUntil: null, credentials: [] }],
    bad: [{ status: "deactivated" }, { controllers: [] }, { validUntil: 2026 }, { accounts: [{ name: "a" }] }],
  },
  "create-proposal": {
    good: [
      { title: "Verify", package: { notes: null, evidence: [{ type: "report", uri: " https://a.b " }] } },
      { kind: "revoke", title: longest(200), reason: "Gone" },
      { title: "Verify", package: { controllers: DID, relayerNode: DID, programme: { name: "Cooking" } } },
    ],
    bad: [
      { package: {} },
      { title: "", package: {} },
      { title: longest(201), package: {} },
      { kind: "verified", title: "Verify" },
      { title: "Verify", package: { evidence: [{ type: "report", uri: "a report" }] } },
      { title: "Verify", package: { relayerNode: "node" } },
    ],
  },
  "cast-vote": {
    good: [
      { option: "yes" },
      { option: "no_with_veto", rationale: null },
      { option: "abstain", rationale: "é".repeat(1000) },
    ],
    bad: [{}, { option: "maybe" }, { option: "no", rationale: longest(1001) }],
  },
  "put-voter": {
    good: [{ weight: 1 }, { weight: 1_000_000, label: null }, { weight: 3, label: longest(200) }],
    bad: [
      { weight: 0 },
      { weight: 1.5 },
      { weight: 1_000_001 },
      { weight: 1, label: longest(201) },
      { weight: 1, name: "Board" },
    ],
  },
  "create-webhook": {
    good: [],
    bad: [
      {},
      { url: "hooks.example.org" },
      { url: "https://a.b/", actions: ["voted"] },
      { url: "https://a.b/", secret: "s" },
    ],
  },
  "create-api-key": {
    good: [
      { label: "Field app", did: DID, scopes: ["domains:read"] },
      {
        label: "Votes",
        did: DID,
        scopes: ["verification:propose"],
        role: "compliance",
        expiresAt: "9999-12-31T00:00:00Z",
      },
    ],
    bad: [
      { label: "", did: DID, scopes: ["domains:read"] },
      { label: "a", did: "me", scopes: ["domains:read"] },
      { label: "a", did: DID, scopes: [] },
      { label: "a", did: DID, scopes: ["everything"] },
      { label: "a", did: DID, scopes: ["domains:read"], expiresAt: "soon" },
      { label: "a", did: DID, scopes: ["domains:read"], role: "admin" },
    ],
  },
};

const operations: Readonly<Record<string, string>> = {
  "create-domain": "createDomain",
  "update-domain": "updateDomain",
  "create-proposal": "createProposal",
  "cast-vote": "castVote",
  "put-voter": "putVoter",
  "create-webhook": "createWebhook",
  "create-api-key": "createApiKey",
};

/** Whether the server's schema accepts a body. */
function serverTakes(form: string, body: object): boolean {
  const operation = routes.map((route) => route.document().operation).find(({ id }) => id === operations[form]);
  const schema = operation?.body?.schema;
  if (schema === undefined) throw new Error(`no operation of the form ${form} has a body`);
  return schema.safeParse(body).success;
}

const names = readdirSync(folder).map((name) => name.replace(".json", ""));

test("every form has its bodies here", () => {
  expect(names.toSorted()).toEqual(Object.keys(bodies).toSorted());
});

test.each(names)("%s: form and server accept and refuse equal bodies", (name) => {
  const schema = JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8")) as Schema;
  const validator = new Validator(schema, "2020-12", false);
  const { good = [], bad = [] } = bodies[name] ?? {};
  const judged = [...good, ...bad].map((body) => ({
    body,
    form: validator.validate(body).valid,
    server: serverTakes(name, body),
  }));
  expect(judged).toEqual([
    ...good.map((body) => ({ body, form: true, server: true })),
    ...bad.map((body) => ({ body, form: false, server: false })),
  ]);
});

test("a webhook's address passes its form; only the server knows whether its host is allowed", () => {
  const schema = JSON.parse(readFileSync(`${folder}/create-webhook.json`, "utf8")) as Schema;
  const body = { url: "https://hooks.example.org/twinedge", actions: ["verified"], enabled: true, description: null };
  expect(new Validator(schema, "2020-12", false).validate(body).valid).toBe(true);
});

test("a fault is located, so that the form can show it at its field", () => {
  const schema = JSON.parse(readFileSync(`${folder}/create-domain.json`, "utf8")) as Schema;
  const { errors } = new Validator(schema, "2020-12", false).validate({ ...domain, controllers: ["me"] });
  expect(errors.map(({ instanceLocation }) => instanceLocation)).toContain("#/controllers/0");
});
