/**
 * Files that users upload to the oracle itself, for clients without Matrix. A file waits in `BLOBS` until the turn that names it
 * has read it. Each takes one of a user's few places, so that a user cannot fill the bucket.
 */
import { failure, success, type Result } from "../../../platform/result.ts";
import type { PluginBlobs, PluginKv } from "../../framework/storage.ts";
import { UPLOAD_HOURS, WAITING_UPLOADS } from "./limits.ts";

export interface UploadStore {
  readonly kv: PluginKv;
  readonly blobs: PluginBlobs;
}

/** The id of an upload: its place and an unguessable part. It is searched among the caller's own uploads only. */
const ID = /^(\d{1,2})-[0-9a-f-]{36}$/;
const SCHEME = "oracle-file:";

export function addressOf(id: string): string {
  return SCHEME + id;
}

/** The id in an address; undefined for any other address. */
export function uploadIdOf(address: string): string | undefined {
  const id = address.startsWith(SCHEME) ? address.slice(SCHEME.length) : "";
  return ID.test(id) ? id : undefined;
}

const HOUR_MS = 60 * 60 * 1_000;
const keyOf = (place: number): string => `upload/${place}`;
const blobOf = (id: string): string => `upload/${id}`;

/**
 * Stores the bytes and returns the id; undefined when the user has the maximum number of waiting files. `now`: milliseconds since
 * the epoch.
 */
export async function storeUpload(
  { kv, blobs }: UploadStore,
  bytes: Uint8Array,
  now: number,
): Promise<string | undefined> {
  await dropExpired({ kv, blobs }, now);
  for (let place = 0; place < WAITING_UPLOADS; place += 1) {
    const id = `${place}-${crypto.randomUUID()}`;
    const until = now + UPLOAD_HOURS * HOUR_MS;
    // One of two concurrent uploads gets the place. The user's object deletes it later, even if the user never returns.
    if (!(await kv.setIfAbsent(keyOf(place), { id, until }, { at: until, blob: blobOf(id) }))) continue;
    try {
      await blobs.put(blobOf(id), bytes);
    } catch (thrown) {
      await kv.delete(keyOf(place));
      throw thrown;
    }
    return id;
  }
  return undefined;
}

async function dropExpired({ kv, blobs }: UploadStore, now: number): Promise<void> {
  const { keys } = await kv.list("upload/");
  for (const key of keys) {
    const kept = await kv.get(key);
    const { id, until } = (kept ?? {}) as { readonly id?: unknown; readonly until?: unknown };
    if (typeof id !== "string" || (typeof until === "number" && until > now)) continue;
    await blobs.delete(blobOf(id));
    await kv.delete(key);
  }
}

/** The error says why, as the end of "could not be read: ...". */
export async function readUpload(
  { blobs }: Partial<Pick<UploadStore, "blobs">>,
  id: string,
): Promise<Result<Uint8Array<ArrayBuffer>, string>> {
  const found = await blobs?.get(blobOf(id));
  if (found === undefined || found === null) return failure("the oracle no longer has it");
  return success(new Uint8Array(await found.arrayBuffer()));
}

/** Frees its place. Returns whether the upload existed. */
export async function dropUpload({ kv, blobs }: UploadStore, id: string): Promise<boolean> {
  const key = keyOf(Number(ID.exec(id)?.[1]));
  const kept = (await kv.get(key)) as { readonly id?: unknown } | undefined;
  if (kept?.id !== id) return false;
  await blobs.delete(blobOf(id));
  return kv.delete(key);
}
