/**
 * A client that a generator makes of the registry's own document: it type-checks under the project's strict rules, and it
 * works against the running server (issue 3, deliver 6).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { generateApi } from "swagger-typescript-api";
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/dispose-after-tests.ts";
import { startRunningServer, type RunningServer } from "../support/running-server.ts";

const projectRoot = resolve(import.meta.dirname, "../..");
const KEY = "generated-client-key";

let server: RunningServer;
let folder = "";

const started = disposeAfterTests();
beforeAll(async () => {
  const keys = [{ key: KEY, did: "did:web:client.test", scopes: ["registry:admin"] }];
  server = started(await startRunningServer({ REGISTRY_BOOTSTRAP_KEYS: JSON.stringify(keys) }));
  folder = mkdtempSync(join(tmpdir(), "twinedge-client-"));
  started({ close: () => rmSync(folder, { recursive: true, force: true }) });
  const spec = await (await fetch(`${server.url}/openapi/registry.json`)).json();
  const { files } = await generateApi({ spec, output: false, silent: true, httpClientType: "fetch" });
  for (const { fileName, fileExtension, fileContent } of files) {
    // The generator tells the compiler to look away; that is what we are here for.
    writeFileSync(join(folder, fileName + fileExtension), fileContent.replaceAll("// @ts-nocheck", ""));
  }
  writeFileSync(join(folder, "sample.ts"), SAMPLE);
});

/** What somebody would write on the first day; each line is there for a type that must be right. */
const SAMPLE = `
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

test("it type-checks", () => {
  const config = {
    extends: join(projectRoot, "tsconfig.base.json"),
    compilerOptions: {
      // The generated client is written for a browser.
      lib: ["ES2024", "DOM", "DOM.Iterable"],
      // A generator's own style is its own matter; that its types are right is not.
      verbatimModuleSyntax: false,
      erasableSyntaxOnly: false,
      noImplicitOverride: false,
      paths: {},
    },
    files: ["sample.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(projectRoot, "node_modules/.bin/tsc");
  const { status, stdout } = spawnSync(compiler, ["-p", folder, "--pretty", "false"], { encoding: "utf8" });
  expect([stdout, status]).toEqual(["", 0]);
});

test("it works", async () => {
  const program = `
    import { run } from ${JSON.stringify(pathToFileURL(join(folder, "sample.ts")).href)};
    console.log(JSON.stringify(await run(...process.argv.slice(1))));
  `;
  const flags = ["--experimental-transform-types", "--no-warnings", "--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, server.url, KEY], { encoding: "utf8" });
  expect([stderr, JSON.parse(stdout === "" ? "{}" : stdout)]).toEqual([
    "",
    {
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
    },
  ]);
});
