/** Descriptor images by the names that `sets` uses: the built-in one, and an operator's own from R2, KV or a binding (contract D, section 9). */
import { failure, success, type Result } from "../platform/result.ts";
import type { ImageSource } from "./settings.ts";

/** The bytes of an image, or why they cannot be had. `env` is where bindings are looked up. */
export async function readImage(source: ImageSource, env: object): Promise<Result<Uint8Array, string>> {
  const binding: unknown = new Map<string, unknown>(Object.entries(env)).get(source.binding);
  switch (source.kind) {
    case "data":
      return binding instanceof ArrayBuffer ? success(new Uint8Array(binding)) : failure("the binding holds no bytes");
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
