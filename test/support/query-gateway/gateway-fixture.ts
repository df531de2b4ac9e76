/**
 * The fixture service gwtest.v1.T and the ixo descriptor set, for the gateway's tests. The fixture's descriptor set is committed so
 * that tests inside workerd can read it; `compileFixture` made it.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RouteOptions } from "../../../workers/query-gateway/transcoding/routes.ts";

const root = resolve(import.meta.dirname, "../../..");

/** The buf workspace of gwtest.proto and its imports; the project's own buf.yaml covers only what is deployed. */
const workspace = {
  version: "v2",
  modules: [
    { path: "test/support/query-gateway" },
    { path: "node_modules/@protobufs", includes: ["node_modules/@protobufs/google/api"] },
  ],
};

/** The default settings of a chain profile. */
export const defaultRouteOptions: RouteOptions = {
  protocolPrefix: "ixo",
  legacyPrefixes: [],
  legacyIxo: true,
  aliases: [],
};

export function fixtureImage(): Uint8Array {
  return new Uint8Array(readFileSync(join(import.meta.dirname, "gwtest.binpb")));
}

export function ixoImage(): Uint8Array {
  return new Uint8Array(readFileSync(join(root, "proto/descriptors/ixo.binpb")));
}

export function compileFixture(): Uint8Array {
  const flags = [
    "--as-file-descriptor-set",
    "--exclude-source-info",
    "--path",
    "test/support/query-gateway/gwtest.proto",
  ];
  const config = JSON.stringify(workspace);
  const output = execFileSync(
    join(root, "node_modules/.bin/buf"),
    ["build", ".", "--config", config, ...flags, "-o", "-"],
    {
      cwd: root,
    },
  );
  return new Uint8Array(output);
}
