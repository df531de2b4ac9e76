/** The storage of plugins inside workerd, as a test reaches it. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createPluginBlobs } from "../../../oracle/framework/plugin-blobs.ts";
import { createPluginKv, type PluginKv } from "../../../oracle/framework/storage.ts";

export function newUser(): string {
  return `did:key:${crypto.randomUUID()}`;
}

export function kvOf(did: string, name = "notes"): PluginKv {
  return createPluginKv(() => env.USER_VAULT.getByName(did), name);
}

export function tablesOf(did: string) {
  return runInDurableObject(env.USER_VAULT.getByName(did), (_object, { storage }) =>
    storage.sql
      .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")
      .toArray(),
  );
}

export function blobsOf(plugin: string, did: string) {
  return createPluginBlobs(() => env.BLOBS, plugin, did);
}

export async function textOf(object: R2ObjectBody | null): Promise<string | undefined> {
  return object?.text();
}
