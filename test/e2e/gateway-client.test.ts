/**
 * A client that a generator makes of the query gateway's document: it type-checks under the project's strict rules, with
 * bodies that give only what they have to say, and it works against the running server.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { generateApi } from "swagger-typescript-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRunningServer, type RunningServer } from "../support/running-server.ts";

const projectRoot = resolve(import.meta.dirname, "../..");

let server: RunningServer;
let folder = "";

beforeAll(async () => {
  const deployments = [{ name: "open", enabled: ["cosmos.tx.v1beta1.Service/Simulate"] }];
  server = await startRunningServer({ GATEWAY_CONFIG: JSON.stringify({ deployments }) });
  folder = mkdtempSync(join(tmpdir(), "twinedge-gateway-client-"));
  const spec = await (await fetch(`${server.url}/openapi/query-gateway.json`)).json();
  const { files } = await generateApi({ spec, output: false, silent: true, httpClientType: "fetch" });
  for (const { fileName, fileExtension, fileContent } of files) {
    // The generator tells the compiler to look away; that is what we are here for.
    writeFileSync(join(folder, fileName + fileExtension), fileContent.replaceAll("// @ts-nocheck", ""));
  }
  writeFileSync(join(folder, "sample.ts"), SAMPLE);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.dispose();
});

/** What somebody would write on the first day; each line is there for a type that must be right. */
const SAMPLE = `
import { Api } from "./Api.ts";

export async function run(baseUrl: string): Promise<object> {
  const client = new Api({ baseUrl });
  const params = await client.ixo.ixoTokenV1Beta1QueryParams();
  const code: string = params.data.params.ixo1155_contract_code;
  const page = await client.ixo.ixoClaimsV1Beta1QueryClaimList({ "pagination.limit": "1" });
  const next: string | null | undefined = page.data.pagination?.next_key;
  // A body says what it has to say, and may hold what came as an answer.
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

test("it works", () => {
  const program = `
    import { run } from ${JSON.stringify(pathToFileURL(join(folder, "sample.ts")).href)};
    console.log(JSON.stringify(await run(...process.argv.slice(1))));
  `;
  const flags = ["--experimental-transform-types", "--no-warnings", "--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, server.url], { encoding: "utf8" });
  // The embedded node compiles no transactions in; the body was read before that.
  expect([stderr, JSON.parse(stdout === "" ? "{}" : stdout)]).toEqual([
    "",
    { code: "25", next: "string", refused: 12 },
  ]);
});
