/**
 * Every command of docs/deploy.md, in the order of the page, against a small server of Cloudflare's API. The metadata that wrangler
 * uploads is the truth about a deployment.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, inject, test } from "vitest";
import { BUNDLE_LIMIT } from "../../scripts/deploy/bundle-size.ts";
import { deployedVersion, type Version } from "../support/deploy/account.ts";
import { startCloudflareApi, type CloudflareApi } from "../support/deploy/cloudflare-api.ts";
import { copyProject } from "../support/deploy/project-copy.ts";
import { shellUser, type ShellUser } from "../support/deploy/shell-user.ts";
import { codeBlocksOf, type CodeBlock } from "../support/documents/code-blocks.ts";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { removeDirectory } from "../support/server/temporary-directory.ts";

const project = resolve(import.meta.dirname, "../..");
const blocks = codeBlocksOf(readFileSync(join(project, "docs/deploy.md"), "utf8")).filter(
  // The sections about PostgreSQL need its server.
  ({ language, heading }) => language === "sh" && !/postgres|hyperdrive/i.test(heading),
);
const SECRETS = ["ORACLE_SIGNING_SEED", "PIN_ENCRYPTION_KEY", "USSD_OPERATOR_TOKEN", "ADMIN_TOKEN"];
const ADMIN_TOKEN = "the-operator-token-of-the-deploy-page";
const KEY = "a-key-of-the-deploy-page-test";

const started = disposeAfterTests();
let api: CloudflareApi;
let copy = "";
let user: ShellUser;
let server: RunningServer;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "twinedge-deploy-"));
  started({ close: () => removeDirectory(folder) });
  copy = join(folder, "project");
  copyProject(copy);
  api = started(await startCloudflareApi());
  user = shellUser(copy, join(folder, "home"), api.variables);
  await user.run(
    "git init -q -b main . && git add wrangler.toml package.json && git commit -q -m start && git init -q --bare ../origin && git remote add origin ../origin",
  );
  // The Worker of the page's address: the code that is uploaded, with the secrets of the test.
  server = started(
    await startRunningServer({
      ADMIN_TOKEN,
      REGISTRY_BOOTSTRAP_KEYS: JSON.stringify([{ key: KEY, did: "did:web:page.test", scopes: ["domains:read"] }]),
    }),
  );
});

const remaining = [...blocks];

/** The next block of the page, which must contain these words: none is left out. */
function next(words: string): string {
  const block: CodeBlock | undefined = remaining.shift();
  expect(block?.code).toContain(words);
  return block?.code ?? "";
}

/** As a reader types it: with the address of the Worker, and with the environment chosen in an earlier step. */
async function type(
  code: string,
  target = "staging",
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const script = code
    .replaceAll("https://ADDRESS", server.url)
    .replaceAll("ADMIN_TOKEN=...", `ADMIN_TOKEN=${ADMIN_TOKEN}`)
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, new Date().toISOString());
  const { status, stdout, stderr } = await user.run(`TARGET=${target}\n${script}`, variables);
  expect({ status, output: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, output: "" });
  return stdout + stderr;
}

function deployed(name: string): Version {
  const worker = api.account.workers.get(name);
  const version = worker === undefined ? undefined : deployedVersion(worker);
  if (version === undefined) throw new Error(`${name} is not deployed`);
  return version;
}

function enterDatabaseId(environment: string): void {
  const path = join(copy, "wrangler.toml");
  const id = [...api.account.databases.values()].find(({ name }) => name === `twinedge-${environment}`)?.uuid ?? "";
  const text = readFileSync(path, "utf8");
  const named = `database_name = "twinedge-${environment}"\ndatabase_id = `;
  writeFileSync(path, text.replace(`${named}"00000000-0000-0000-0000-000000000000"`, `${named}"${id}"`));
}

test("a machine without a browser signs in with a token, and a wrong token is refused [ALL-60]", async () => {
  const { status, stdout, stderr } = await user.run("npx wrangler d1 list", { CLOUDFLARE_API_TOKEN: "wrong" });
  expect([status, stdout + stderr]).toEqual([1, expect.stringContaining("Authentication error")]);
  next("npx wrangler login");
});

test("the first deployment works as the page prints it [ALL-60]", async () => {
  const create = next("d1 create");
  expect(await type(create)).toContain("database_id = ");
  const refused = await user.run("npm run deploy -- --env staging");
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("has no database yet")]);
  enterDatabaseId("staging");
  const migrations = next("d1 migrations apply");
  expect(await type(migrations)).toMatch(/0001\w+\.sql +│ ✅/);
  await type(next("r2 bucket create"));
  await type(next("secret put"));
  await type(next("secret bulk"));
  expect(await type(next("--dry-run"))).toMatch(/Bundle: [\d.]+ KB/);
  expect(await type(next("npm run deploy -- --env"))).toContain("Current Version ID:");
  expect(await type(next("keys -- create"))).toMatch(/twe_\w+/);
});

test("the upload has the bindings, the classes and the settings of the environment [ALL-61]", () => {
  const worker = api.account.workers.get("twinedge-staging");
  const { metadata, secrets } = deployed("twinedge-staging");
  expect(
    metadata.bindings
      .map(({ name, type: kind, class_name: target }) => `${kind} ${name} ${String(target ?? "")}`.trim())
      .toSorted(),
  ).toEqual([
    "ai AI",
    "assets ASSETS",
    "d1 DATABASE",
    "durable_object_namespace CHAT_SESSION ChatSession",
    "durable_object_namespace CREDIT_LEDGER CreditLedger",
    "durable_object_namespace OUTBOX Outbox",
    "durable_object_namespace RATE_LIMITER RateLimiter",
    "durable_object_namespace USER_VAULT UserVault",
    "durable_object_namespace USSD_SESSION UssdSession",
    "plain_text ENVIRONMENT",
    "r2_bucket BLOBS",
  ]);
  expect(metadata.migrations?.steps.flatMap(({ new_sqlite_classes: names = [] }) => names).toSorted()).toEqual(
    [...(worker?.classes ?? [])].toSorted(),
  );
  expect(metadata.observability).toEqual({
    enabled: true,
    redact_query_string: true,
    logs: { enabled: true, invocation_logs: false },
    traces: { enabled: false },
  });
  expect(metadata.compatibility_flags).toEqual(["nodejs_compat", "enable_request_signal"]);
  expect([...secrets.keys()].toSorted()).toEqual(SECRETS.toSorted());
  expect(worker?.schedules).toEqual([{ cron: "* * * * *" }]);
  expect(api.account.assets.size).toBeGreaterThan(0);
});

test("the uploaded code is small, has no secret in it, and is the code that starts here [ALL-61]", () => {
  const { modules, secrets, metadata } = deployed("twinedge-staging");
  const code = [...modules].filter(([name]) => !name.endsWith(".map"));
  const text = code.map(([, bytes]) => Buffer.from(bytes).toString("latin1")).join("\n") + JSON.stringify(metadata);
  expect([...secrets.values(), ADMIN_TOKEN].filter((value) => text.includes(value))).toEqual([]);
  expect(code.reduce((sum, [, bytes]) => sum + gzipSync(bytes).byteLength, 0)).toBeLessThan(BUNDLE_LIMIT);
  const main = Buffer.from(modules.get(metadata.main_module) ?? []).toString();
  const running = readFileSync(join(inject("builtWorker"), "bundle", metadata.main_module), "utf8");
  expect(main === running).toBe(true);
});

test("the smoke test and later deployments work as the page prints them [ALL-60]", async () => {
  const reports = await type(next("npm run smoke"), "staging", { REGISTRY_API_KEY: KEY });
  expect(reports).toMatch(/All surfaces work[^]*No fault was found/);
  const smoke = await type(next("curl -s $URL/health"));
  for (const words of ['"status":"ok"', "did:", "401", '{"data":{"entities":', "CON ", "entities"])
    expect(smoke).toContain(words);
  await type(next("d1 migrations apply"));
  expect(api.account.workers.get("twinedge-staging")?.deployments.length).toBeGreaterThan(2);
});

test("a staged version takes 10 % of the requests, then all of them [ALL-60]", async () => {
  const before = deployed("twinedge-staging");
  const worker = api.account.workers.get("twinedge-staging");
  const [build = "", uploadOnly = "", deployTenth = ""] = next("versions upload").trim().split("\n");
  await type(`${build}\n${uploadOnly}`);
  const staged = worker?.versions.at(-1)?.id ?? "";
  expect(deployed("twinedge-staging").id).toBe(before.id);
  const named = (code: string): string => code.replaceAll("NEW", staged).replaceAll("OLD", before.id);
  await type(named(deployTenth));
  expect(worker?.deployments.at(-1)?.versions.toSorted((a, b) => a.percentage - b.percentage)).toEqual([
    { version_id: staged, percentage: 10 },
    { version_id: before.id, percentage: 90 },
  ]);
  await type(named(next("NEW@100")));
  expect(deployed("twinedge-staging").id).toBe(staged);
});

test("production is deployed from the tag that staging ran [ALL-60]", async () => {
  await type("npx wrangler d1 create twinedge-$TARGET\nnpx wrangler r2 bucket create twinedge-$TARGET", "production");
  enterDatabaseId("production");
  await type(next("git tag release-1"), "production");
  expect(deployed("twinedge-production").metadata.bindings).toContainEqual(
    expect.objectContaining({ name: "ENVIRONMENT", text: "production" }),
  );
});

test("a rollback activates the version before, and the database travels back [ALL-60]", async () => {
  const worker = api.account.workers.get("twinedge-staging");
  const [before] = worker?.deployments.at(-2)?.versions.filter(({ percentage }) => percentage === 90) ?? [];
  await type(next("wrangler rollback"));
  expect(worker?.deployments.at(-1)?.versions).toEqual([{ version_id: before?.version_id, percentage: 100 }]);
  expect(await type(next("time-travel restore"))).toContain("restored");
});

test("the deployment is taken down as the page prints it [ALL-60]", async () => {
  await type(next("--export domains.ndjson"), "staging", { REGISTRY_API_KEY: KEY });
  await type(next("wrangler delete"));
  expect([...api.account.workers.keys()]).toEqual(["twinedge-production"]);
  expect([...api.account.databases.values()].map(({ name }) => name)).toEqual(["twinedge-production"]);
  expect([...api.account.buckets]).toEqual(["twinedge-production"]);
  expect(remaining).toEqual([]);
});
