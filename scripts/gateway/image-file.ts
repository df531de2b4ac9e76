/**
 * Descriptor sets as files: the routes that the gateway would serve from one, and `--gateway-image FILE` of `npm start` and `npm
 * run deploy`, which checks the file before anything starts and puts it among the assets, where the Worker reads it as the set
 * `file`.
 */
import { createFileRegistry, fromBinary, getOption, hasOption } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { projectRoot } from "../run-command.ts";
import { reasonOf } from "../server-address.ts";

/** Equal to the Worker's, as a test checks (workers/query-gateway/descriptors/schema.ts, deployments/config.ts). */
export const IMAGE_BYTES_MAX = 5_000_000;
export const IMAGE_FILE = "gateway-image.binpb";
export const FILE_SET = "file";

const placed = join(projectRoot, "dist/assets", IMAGE_FILE);

/** For a run without GATEWAY_CONFIG: the file first, and the built-in descriptor set for the rest. */
export const FILE_CONFIG = JSON.stringify({ deployments: [{ name: "default", sets: [FILE_SET, "ixo"] }] });

/** Why the file cannot be served; undefined if it can. */
export function imageFault(path: string): string | undefined {
  try {
    const { size } = statSync(path);
    if (size > IMAGE_BYTES_MAX) return `${path} has ${size} bytes; an image has at most ${IMAGE_BYTES_MAX}`;
    if (routesOf(readFileSync(path)).routes > 0) return undefined;
    return `${path} has no method with an HTTP rule: it would serve nothing`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return `${path} cannot be read: ${reasonOf(error)}`;
    return `${path} is not a google.protobuf.FileDescriptorSet with all its imports: ${reasonOf(error)}`;
  }
}

/** Puts the file where the Worker finds it; without one, removes an earlier run's file. */
export function placeImage(path: string | undefined): void {
  rmSync(placed, { force: true });
  if (path === undefined) return;
  mkdirSync(dirname(placed), { recursive: true });
  copyFileSync(path, placed);
}

/** Whether a chain profile of `GATEWAY_CONFIG` uses the file. The Worker refuses invalid JSON. */
export function usesFile(config: string): boolean {
  try {
    const { deployments } = JSON.parse(config) as { readonly deployments?: readonly { readonly sets?: unknown }[] };
    return (deployments ?? []).some(({ sets }) => Array.isArray(sets) && sets.includes(FILE_SET));
  } catch {
    return true;
  }
}

export interface ImageRoutes {
  /** Services with a rule. */
  readonly services: number;
  /** Rules, including additional bindings. */
  readonly routes: number;
}

/** @throws Error if it is not a `google.protobuf.FileDescriptorSet` with all its imports. */
export function routesOf(image: Uint8Array): ImageRoutes {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image));
  const option = registry.getExtension("google.api.http");
  if (option === undefined) return { services: 0, routes: 0 };
  const ruled = [...registry.files]
    .flatMap(({ services }) => services)
    .flatMap(({ methods }) => methods)
    .filter((method) => hasOption(method, option));
  const rules = ruled.map((method) => getOption(method, option) as { readonly additionalBindings: readonly unknown[] });
  return {
    services: new Set(ruled.map(({ parent }) => parent)).size,
    routes: rules.reduce((sum, { additionalBindings }) => sum + 1 + additionalBindings.length, 0),
  };
}
