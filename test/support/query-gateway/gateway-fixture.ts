/**
 * The fixture service gwtest.v1.T and the ixo descriptor set, for the gateway's tests. Both are committed;
 * `npm run descriptors` compiles them.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RouteOptions } from "../../../workers/query-gateway/transcoding/routes.ts";

const root = resolve(import.meta.dirname, "../../..");

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
