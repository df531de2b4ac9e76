/** The query gateway as a developer meets it: a domain made over the registry, asked for with the real curl, and the tool. */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

const projectRoot = resolve(import.meta.dirname, "../..");
let server: RunningServer;
let id: string;

const started = disposeAfterTests();
beforeAll(async () => {
  server = started(await startRunningServer());
  const key = run(process.execPath, ["scripts/keys.ts", "create", "--name", "x", "--url", server.url]).stdout.trim();
  const body = '{"type":"Project","protocol":"did:ixo:protocol/clean-cooking","metadata":{"name":"Clean Cooking"}}';
  const created = run("curl", [
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
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: projectRoot, encoding: "utf8" });
  return { status, stdout, stderr };
}

function curl(path: string, ...options: readonly string[]) {
  const { stdout } = run("curl", ["-si", ...options, server.url + path]);
  const [head = "", body = ""] = stdout.split("\r\n\r\n");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body };
}

test("a domain just created is an entity with its DID document, as a node prints them [QG-90]", () => {
  const { status, head, body } = curl(`/ixo/entity/${id}`);
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
  expect(curl(`/ixo/entity/${id}/verified`).body).toBe('{"entity_verified":false}');
  expect(JSON.parse(curl("/ixo/entity").body)).toMatchObject({ entities: [{ id }], pagination: { total: "1" } });
});

test("claims, token parameters, an alias, an unknown prefix, an uncompiled method", () => {
  expect(JSON.parse(curl("/ixo/claims/claims").body)).toMatchObject({ pagination: { next_key: null, total: "3" } });
  expect(curl("/ixo/token/params").body).toBe('{"params":{"ixo1155_contract_code":"25"}}');
  expect(curl("/ixo/claim/claim-1").head).toMatch(
    /^link: <\/ixo\/claims\/claim\/claim-1>; rel="successor-version"\r?$/im,
  );
  const unknown = curl("/other/token/params");
  expect([unknown.status, JSON.parse(unknown.body)]).toEqual([
    404,
    { code: 5, message: "Not Found", details: [expect.objectContaining({ reason: "PATH_NOT_FOUND" })] },
  ]);
  expect(curl("/ixo/mint/v1beta1/params").status).toBe(501);
});

test("HEAD has the length of GET", () => {
  const { status, head, body } = curl("/ixo/token/params", "--head");
  expect([status, body]).toEqual([200, ""]);
  expect(head).toMatch(/^content-length: 41\r?$/im);
});

test("health lists the nodes, the documents the routes", () => {
  expect(JSON.parse(curl("/health").body)).toMatchObject({
    gateway: { status: "ok", nodes: [{ name: "embedded-1", kind: "embedded", state: "ok" }] },
  });
  expect(JSON.parse(curl("/openapi.json").body)).toMatchObject({
    paths: { "/ixo/entity/{id}": {}, "/v1/domains": {} },
  });
  expect(JSON.parse(curl("/openapi/query-gateway.json").body)).not.toHaveProperty(["paths", "/v1/domains"]);
  expect(curl("/docs").body).toContain("/openapi/query-gateway.json");
});

test("npm run gateway -- routes prints the table of a running gateway [QG-122]", () => {
  const { status, stdout } = run(process.execPath, ["scripts/gateway.ts", "routes", "--url", server.url]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^GET +\/ixo\/entity\/\{id\} +ixo\.entity\.v1beta1\.Query\/Entity$/m);
  expect(stdout).toMatch(/^alias +\/ixo\/claim\/\{id\} +\/ixo\/claims\/claim\/\{id\}$/m);
});
