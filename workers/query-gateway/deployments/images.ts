/**
 * The descriptor sets of chain profiles, by their names in `sets`: the built-in one, the deployed file, and an
 * operator's own from R2, KV or a binding of bytes. Each is read once, however many profiles use it.
 */
import { hexOf, sha256 } from "../../../platform/digest.ts";
import { describeThrown } from "../../../platform/log.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { openSchema } from "../descriptors/lazy-schema.ts";
import { IMAGE_BYTES_MAX, IMAGE_FILE, loadSchema, type Schema } from "../descriptors/schema.ts";
import { BUILT_IN_SET, FILE_SET, type GatewayConfig } from "./config.ts";
import type { ImageSource } from "./settings.ts";

export interface LoadedSet {
  readonly name: string;
  /** Digest of the set's bytes. */
  readonly digest: string;
  readonly schema: Schema;
}

/**
 * Each set by its name, or why it is unavailable. `env` contains the bindings, `builtIn` the bytes of the built-in set.
 */
export async function loadSets(
  { deployments, images }: GatewayConfig,
  env: object,
  builtIn: Uint8Array,
): Promise<ReadonlyMap<string, Result<LoadedSet, string>>> {
  const sets = new Map<string, Result<LoadedSet, string>>();
  for (const name of new Set(deployments.flatMap((each) => each.sets))) {
    const source = images[name];
    try {
      if (source === undefined && name === BUILT_IN_SET) {
        sets.set(name, success({ name, digest: await digestOf(builtIn), schema: openSchema(builtIn) }));
        continue;
      }
      if (source === undefined && name !== FILE_SET) continue;
      const image = source === undefined ? await readFileImage(env) : await readImage(source, env);
      if (!image.ok) sets.set(name, failure(`/images/${name}: ${image.error}`));
      else if (image.value.byteLength > IMAGE_BYTES_MAX)
        sets.set(name, failure(`/images/${name}: is larger than ${IMAGE_BYTES_MAX} bytes`));
      else sets.set(name, success({ name, digest: await digestOf(image.value), schema: loadSchema(image.value) }));
    } catch (thrown) {
      sets.set(name, failure(`/images/${name}: ${describeThrown(thrown)}`));
    }
  }
  return sets;
}

async function digestOf(image: Uint8Array): Promise<string> {
  return hexOf(await sha256(image));
}

/** The bytes of an operator's set, or why they are unavailable. */
async function readImage(source: ImageSource, env: object): Promise<Result<Uint8Array, string>> {
  const binding: unknown = new Map<string, unknown>(Object.entries(env)).get(source.binding);
  switch (source.kind) {
    case "data":
      return binding instanceof ArrayBuffer
        ? success(new Uint8Array(binding))
        : failure("the binding contains no bytes");
    case "kv": {
      const bytes = await (binding as KVNamespace).get(source.key, "arrayBuffer");
      return bytes === null ? failure("KV has no such key") : success(new Uint8Array(bytes));
    }
    case "r2": {
      const object = await (binding as R2Bucket).get(source.key);
      return object === null ? failure("R2 has no such object") : success(new Uint8Array(await object.arrayBuffer()));
    }
  }
}

/** The bytes of the deployed file. */
async function readFileImage(env: object): Promise<Result<Uint8Array, string>> {
  const assets = new Map<string, unknown>(Object.entries(env)).get("ASSETS") as Fetcher | undefined;
  const response = await assets?.fetch(`https://assets.invalid/${IMAGE_FILE}`);
  if (response?.status !== 200) {
    await response?.body?.cancel();
    return failure("no file came with this deployment: start or deploy it with --gateway-image FILE");
  }
  return success(new Uint8Array(await response.arrayBuffer()));
}
