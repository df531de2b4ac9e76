/**
 * Stores the contents of a session's files, so that later turns, and a recovered turn, need neither the token nor the file again:
 * texts in the user's storage, images in R2 if a bucket is bound. The oldest file above `KEPT_FILES` is deleted.
 */
import * as z from "zod";
import type { JsonObject } from "../../../platform/json.ts";
import type { PluginBlobs, PluginKv } from "../../framework/storage.ts";
import { NOT_KEPT, type Content, type NamedFile } from "./content.ts";
import { KEPT_FILES } from "./limits.ts";

const named = { id: z.string(), filename: z.string(), mimetype: z.string(), eventId: z.string().optional() };
const keptFile = z.discriminatedUnion("kind", [
  z.object({ ...named, kind: z.literal("text"), text: z.string(), omitted: z.number() }),
  z.object({ ...named, kind: z.literal("image"), mediaType: z.string(), size: z.number().optional() }),
  z.object({ ...named, kind: z.literal("failed"), reason: z.string() }),
]);

export interface KeptFile {
  readonly file: NamedFile;
  readonly content: Content;
}

export interface KeptContents {
  /** Undefined for a file that is not stored. */
  load(id: string): Promise<KeptFile | undefined>;
  /** Returns the content to hold from now on: a stored image is loaded again when a request has room for it. */
  save(file: NamedFile, content: Content): Promise<Content>;
  /**
   * Notes that this file is about to be read, which may crash the reader. A later turn that finds the note knows that the reader
   * crashed. `save` replaces it.
   */
  begin(file: NamedFile): Promise<void>;
}

/** The stored files of all sessions of a user: names, and the text of those that were read as text. */
export async function* storedFiles(kv: PluginKv): AsyncGenerator<JsonObject> {
  const { keys } = await kv.list("file/");
  for (const key of keys) {
    const found = keptFile.safeParse(await kv.get(key));
    if (!found.success) continue;
    const { data } = found;
    const [, sessionId = ""] = key.split("/");
    const { filename, mimetype } = data;
    yield { sessionId, filename, mimetype, ...(data.kind === "text" ? { text: data.text } : {}) };
  }
}

export interface KeptContentsOptions {
  readonly kv: PluginKv;
  readonly blobs: PluginBlobs | undefined;
  readonly sessionId: string;
  /** ISO 8601, in UTC: the sort order of stored files. */
  readonly now: string;
}

export function createKeptContents({ kv, blobs, sessionId, now }: KeptContentsOptions): KeptContents {
  const placeOf = (id: string): string => `${sessionId}/${id}`;

  async function keep(file: NamedFile, content: z.input<typeof keptFile>): Promise<void> {
    const { eventId } = file;
    await kv.set(`file/${placeOf(file.id)}`, { ...content, ...(eventId === undefined ? {} : { eventId }) });
    await kv.set(`time/${now}/${placeOf(file.id)}`, true);
    await prune();
  }

  async function prune(): Promise<void> {
    const { keys } = await kv.list("time/");
    const placeIn = (key: string): string => key.split("/").slice(2).join("/");
    // Reads the notes in order of time. A recovered turn notes a file again, and only its newest note counts.
    const newest = new Map(keys.map((key) => [placeIn(key), key]));
    const places = [...newest].toSorted(([, one], [, other]) => (one < other ? -1 : 1)).map(([place]) => place);
    const dropped = new Set(places.slice(0, Math.max(0, places.length - KEPT_FILES)));
    for (const place of dropped) {
      await kv.delete(`file/${place}`);
      await blobs?.delete(place);
    }
    for (const key of keys) if (dropped.has(placeIn(key)) || newest.get(placeIn(key)) !== key) await kv.delete(key);
  }

  function keptImage(id: string, mediaType: string, size: number | undefined): Content {
    return {
      kind: "image",
      mediaType,
      size,
      isHeld: false,
      async bytes() {
        const blob = await blobs?.get(placeOf(id));
        return blob === undefined || blob === null ? undefined : new Uint8Array(await blob.arrayBuffer());
      },
    };
  }

  return {
    async load(id) {
      const found = keptFile.safeParse(await kv.get(`file/${placeOf(id)}`));
      if (!found.success) return undefined;
      const { data } = found;
      if (data.kind === "text")
        return { file: data, content: { kind: "text", text: data.text, omitted: data.omitted } };
      if (data.kind === "failed") return { file: data, content: { kind: "failed", reason: data.reason } };
      if (blobs === undefined) return { file: data, content: { kind: "failed", reason: NOT_KEPT } };
      return { file: data, content: keptImage(id, data.mediaType, data.size) };
    },
    async save(file, content) {
      const { id, filename, mimetype } = file;
      const own = { id, filename, mimetype };
      if (content.kind !== "image") {
        await keep(file, { ...own, ...content });
        return content;
      }
      const bytes = await content.bytes();
      if (blobs === undefined || bytes === undefined) return content;
      await blobs.put(placeOf(id), bytes);
      const { mediaType, size } = content;
      await keep(file, { ...own, kind: "image", mediaType, size });
      return keptImage(id, mediaType, size);
    },
    begin: ({ id, filename, mimetype, eventId }) =>
      keep(
        { id, filename, mimetype, eventId },
        { id, filename, mimetype, kind: "failed", reason: "reading it did not end" },
      ),
  };
}
