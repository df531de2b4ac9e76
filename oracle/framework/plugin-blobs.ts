/**
 * `ctx.blobs`: large values of a plugin for a user, in the R2 bucket `BLOBS`. Keys are `<plugin>/<did>/<key>`, the first two
 * encoded, so that neither a name nor a key reaches into another's part.
 */
import { KvLimitError, utf8Length, type PluginBlobs } from "./storage.ts";

/** Maximum length of a blob's key, bytes of UTF-8. R2 allows 1,024 in total, shared with plugin and user. */
export const BLOB_KEY_BYTES = 512;
/** How many objects R2 lists or deletes per request. */
const R2_PAGE = 1_000;

/** `bucket` returns the bucket for one call. */
export function createPluginBlobs(bucket: () => R2Bucket, plugin: string, did: string): PluginBlobs {
  const own = placeOf(encodeURIComponent(plugin), did);
  const objectKey = (key: string): string => blobPlace(plugin, did, key);

  return {
    get: async (key) => bucket().get(objectKey(key)),
    async put(key, value) {
      await bucket().put(objectKey(key), value);
    },
    delete: async (key) => bucket().delete(objectKey(key)),
    async list(prefix = "", cursor) {
      const { objects, truncated } = await bucket().list({
        prefix: prefix === "" ? own : objectKey(prefix),
        ...(cursor === undefined ? {} : { startAfter: objectKey(keyOfCursor(cursor)) }),
        limit: R2_PAGE,
      });
      const keys = objects.map(({ key }) => key.slice(own.length));
      const last = keys.at(-1);
      return truncated && last !== undefined ? { keys, cursor: encodeURIComponent(last) } : { keys };
    },
  };
}

/** The bucket's key of a plugin's blob for this user. */
export function blobPlace(plugin: string, did: string, key: string): string {
  const bytes = utf8Length(key);
  if (bytes < 1 || bytes > BLOB_KEY_BYTES || !key.isWellFormed())
    throw new KvLimitError(
      "key",
      `A blob's key must have 1 to ${BLOB_KEY_BYTES} bytes of UTF-8; this one has ${bytes}`,
    );
  return placeOf(encodeURIComponent(plugin), did) + key;
}

function keyOfCursor(cursor: string): string {
  try {
    return decodeURIComponent(cursor);
  } catch {
    throw new TypeError("The cursor must come from list()");
  }
}

/** Deletes the values of all plugins for a user. */
export async function eraseBlobs(bucket: R2Bucket, did: string): Promise<void> {
  for (const plugin of await pluginsOf(bucket)) {
    const prefix = placeOf(plugin, did);
    for (;;) {
      const { objects, truncated } = await bucket.list({ prefix, limit: R2_PAGE });
      if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
      if (!truncated) break;
    }
  }
}

/** The encoded names of all plugins that have stored blobs, whether or not they still run. */
async function pluginsOf(bucket: R2Bucket): Promise<readonly string[]> {
  const plugins: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await bucket.list({ delimiter: "/", ...(cursor === undefined ? {} : { cursor }) });
    plugins.push(...page.delimitedPrefixes.map((prefix) => prefix.slice(0, -1)));
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return plugins;
}

function placeOf(encodedPlugin: string, did: string): string {
  return `${encodedPlugin}/${encodeURIComponent(did)}/`;
}
