/**
 * The query gateway for a developer: a domain created in the registry and queried with the real curl, and the command-line tool.
 */
import { resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { runProgram } from "../support/server/run-program.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

const projectRoot = resolve(import.meta.dirname, "../..");
let server: RunningServer;
let id: string;

const started = disposeAfterTests();
beforeAll(async () => {
  server = started(await startRunningServer());
  const issued = await run(process.execPath, ["scripts/keys.ts", "create", "--name", "x", "--url", server.url]);
  const key = issued.stdout.trim();
  const body = '{"type":"Project","protocol":"did:ixo:protocol/clean-cooking","metadata":{"name":"Clean Cooking"}}';
  const created = await run("curl", [
    "-s",
    "-X",
    "POST",
    `${server.url}/v1/domains`,
    "-H",
    `Authorization: Bearer ${key}`,
    "-d",
    body,
  ]);
  id = (JSON.parse(created.stdout) as { id: string }).id;
});

function run(command: string, args: readonly string[]) {
  return runProgram(command, args, { cwd: projectRoot });
}

async function curl(path: string, ...options: readonly string[]) {
  const { stdout } = await run("curl", ["-si", ...options, server.url + path]);
  const [head = "", body = ""] = stdout.split("\r\n\r\n");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body };
}

test("a domain just created is an entity with its DID document, in the format of a node [QG-90]", async () => {
  const { status, head, body } = await curl(`/ixo/entity/${id}`);
  expect(status).toBe(200);
  expect(head).toMatch(/^content-type: application\/json\r?$/im);
  expect(head).toMatch(/^grpc-metadata-x-cosmos-block-height: [1-9]\d*\r?$/im);
  expect(body).toMatch(
    new RegExp(String.raw`^\{"entity":\{"id":"${id}","type":"Project","start_date":null,"end_date":null,"status":0,`),
  );
  expect(body).toContain(
    `"iidDocument":{"context":[{"key":"class","val":"did:ixo:protocol/clean-cooking"}],"id":"${id}","controller":["did:key:`,
  );
  expect(body).not.toMatch(/\n$/);
  expect((await curl(`/ixo/entity/${id}/verified`)).body).toBe('{"entity_verified":false}');
  expect(JSON.parse((await curl("/ixo/entity")).body)).toMatchObject({
    entities: [{ id }],
    pagination: { total: "1" },
  });
});

test("claims, token parameters, an alias, an unknown prefix, an uncompiled method", async () => {
  expect(JSON.parse((await curl("/ixo/claims/claims")).body)).toMatchObject({
    pagination: { next_key: null, total: "3" },
  });
  expect((await curl("/ixo/token/params")).body).toBe('{"params":{"ixo1155_contract_code":"25"}}');
  expect((await curl("/ixo/claim/claim-1")).head).toMatch(
    /^link: <\/ixo\/claims\/claim\/claim-1>; rel="successor-version"\r?$/im,
  );
  const unknown = await curl("/other/token/params");
  expect([unknown.status, JSON.parse(unknown.body)]).toEqual([
    404,
    { code: 5, message: "Not Found", details: [expect.objectContaining({ reason: "PATH_NOT_FOUND" })] },
  ]);
  expect((await curl("/ixo/mint/v1beta1/params")).status).toBe(501);
});

test("HEAD has the length of GET", async () => {
  const { status, head, body } = await curl("/ixo/token/params", "--head");
  expect([status, body]).toEqual([200, ""]);
  expect(head).toMatch(/^content-length: 41\r?$/im);
});

test("health lists the nodes, the documents list the routes", async () => {
  expect(JSON.parse((await curl("/health")).body)).toMatchObject({
    gateway: { status: "ok", nodes: [{ name: "embedded-1", kind: "embedded", state: "ok" }] },
  });
  expect(JSON.parse((await curl("/openapi.json")).body)).toMatchObject({
    paths: { "/ixo/entity/{id}": {}, "/v1/domains": {} },
  });
  expect(JSON.parse((await curl("/openapi/query-gateway.json")).body)).not.toHaveProperty(["paths", "/v1/domains"]);
  expect((await curl("/docs")).body).toContain("/openapi/query-gateway.json");
});

test("npm run gateway -- routes prints the table of a running gateway [QG-122]", async () => {
  const { status, stdout } = await run(process.execPath, ["scripts/gateway.ts", "routes", "--url", server.url]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^GET +\/ixo\/entity\/\{id\} +ixo\.entity\.v1beta1\.Query\/Entity$/m);
  expect(stdout).toMatch(/^alias +\/ixo\/claim\/\{id\} +\/ixo\/claims\/claim\/\{id\}$/m);
});
