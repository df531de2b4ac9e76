/** The files of a message one by one: which are downloaded, noted before reading, and stored. */
import { describe, expect, test } from "vitest";
import { makePdf, redPixel } from "../../../test/support/peers/media-files.ts";
import type { JsonValue } from "../../../platform/json.ts";
import { success } from "../../../platform/result.ts";
import type { PluginKv } from "../../framework/storage.ts";
import { createKeptContents } from "./kept-contents.ts";
import { IMAGE_BYTES, KEPT_FILES } from "./limits.ts";
import { readAttachments, type ReadingPorts } from "./read-attachments.ts";

const attachment = (id: string, mimetype: string) => ({ id, filename: `${id}.x`, mimetype, mxcUri: "mxc://a/b" });
const never = new AbortController().signal;

async function setUp(bytes: Uint8Array, change: Partial<ReadingPorts> = {}) {
  const stored = new Map<string, JsonValue>();
  const kv: PluginKv = {
    get: async (key) => stored.get(key),
    set: async (key, value) => void stored.set(key, value),
    setIfAbsent: () => Promise.reject(new Error("unused")),
    delete: async (key) => stored.delete(key),
    list: async (prefix = "") => ({ keys: [...stored.keys()].filter((key) => key.startsWith(prefix)).toSorted() }),
  };
  const downloaded: string[] = [];
  const lost: unknown[] = [];
  const ports: ReadingPorts = {
    kept: createKeptContents({ kv, blobs: undefined, sessionId: "s", now: "2026-11-22T09:00:00.000Z" }),
    budget: { isSpent: false },
    download: async ({ id }) => {
      downloaded.push(id);
      return success(new Uint8Array(bytes));
    },
    fileSignal: () => never,
    time: { now: () => 0, rest: () => Promise.resolve(), timeout: () => never },
    notKept: (thrown) => lost.push(thrown),
    ...change,
  };
  return { stored, kv, ports, downloaded, lost };
}

describe("downloads [OR-321, OR-323]", () => {
  test("neither a file of an unread type, nor any file once the message's time is over", async () => {
    const { ports, downloaded } = await setUp(new TextEncoder().encode("rain"));
    const audio = await readAttachments([attachment("a1_1", "audio/mpeg")], ports);
    expect(audio?.get("a1_1")).toEqual({ kind: "failed", reason: "files of its type are not read" });
    const late = { ...ports, fileSignal: () => AbortSignal.abort() };
    const text = await readAttachments([attachment("a1_2", "text/plain")], late);
    expect(text?.get("a1_2")).toEqual({ kind: "failed", reason: "it took longer than 60 seconds" });
    expect(downloaded).toEqual([]);
  });

  test("no file that was read before, successfully or not", async () => {
    const { ports, downloaded } = await setUp(new TextEncoder().encode("rain"));
    const files = [attachment("a1_1", "text/plain"), attachment("a1_2", "image/png")];
    const first = await readAttachments(files, ports);
    expect(await readAttachments(files, ports)).toEqual(first);
    expect(downloaded).toEqual(["a1_1", "a1_2"]);
  });
});

const texts: readonly (readonly [type: string, bytes: () => Promise<Uint8Array>, text: string])[] = [
  ["application/pdf", () => makePdf(["rain"]), "## Page 1\nrain"],
  ["text/html", () => Promise.resolve(new TextEncoder().encode("<p>rain")), "rain"],
  ["text/plain", () => Promise.resolve(new TextEncoder().encode("rain")), "rain"],
];

test.each(texts)(
  "notes a file of type %s before reading it, so that a file that crashed its reader is not read again [OR-325, OR-435]",
  async (mimetype, bytes, text) => {
    const noted: unknown[] = [];
    const { ports, stored } = await setUp(await bytes());
    const noting = {
      now() {
        noted.push(structuredClone(stored.get("file/s/a1_1")));
        return 0;
      },
      rest: () => Promise.resolve(),
      timeout: () => never,
    };
    const files = [attachment("a1_1", mimetype)];
    const read = await readAttachments(files, { ...ports, time: noting });
    expect(noted[0]).toMatchObject({ kind: "failed", reason: "reading it did not end" });
    expect(read?.get("a1_1")).toMatchObject({ kind: "text", text });
    expect(stored.get("file/s/a1_1")).toMatchObject({ kind: "text" });

    // The note that a crashed reader leaves.
    stored.set("file/s/a1_1", noted[0] as JsonValue);
    const again = await readAttachments(files, { ...ports, download: () => Promise.reject(new Error("read again")) });
    expect(again?.get("a1_1")).toMatchObject({ kind: "failed", reason: "reading it did not end" });
  },
);

test("a recovered turn notes a file again, and the older note is deleted [OR-437]", async () => {
  const { ports, stored, kv } = await setUp(new TextEncoder().encode("rain"));
  const later = createKeptContents({ kv, blobs: undefined, sessionId: "s", now: "2026-11-22T09:00:05.000Z" });
  const file = attachment("a1_1", "text/plain");
  await ports.kept.begin(file);
  await later.save(file, { kind: "text", text: "rain", omitted: 0 });
  expect([...stored.keys()].toSorted()).toEqual(["file/s/a1_1", "time/2026-11-22T09:00:05.000Z/s/a1_1"]);
});

test("if an earlier version left two notes of one file, the older one does not remove the file [OR-437]", async () => {
  const { ports, stored } = await setUp(new TextEncoder().encode("rain"));
  stored.set("file/s/a0_0", { kind: "text" });
  stored.set("time/2026-11-20T00:00:00.000Z/s/a0_0", true);
  stored.set("time/2026-11-22T08:59:59.000Z/s/a0_0", true);
  for (let index = 0; index < KEPT_FILES - 1; index += 1) {
    stored.set(`file/s/b${index}`, { kind: "text" });
    stored.set(`time/2026-11-21T00:00:00.000Z/s/b${index}`, true);
  }
  await ports.kept.save(attachment("a1_1", "text/plain"), { kind: "text", text: "rain", omitted: 0 });
  expect(stored.has("file/s/a0_0")).toBe(true);
  expect([...stored.keys()].filter((key) => key.startsWith("file/"))).toHaveLength(KEPT_FILES);
  expect(stored.has("file/s/b0")).toBe(false);
});

test("images that are not stored have 8 MB of memory together [OR-438]", async () => {
  const png = new Uint8Array(IMAGE_BYTES - 1_000_000);
  png.set(redPixel);
  const { ports } = await setUp(png);
  const files = [attachment("a1_1", "image/png"), attachment("a1_2", "image/png"), attachment("a1_3", "image/png")];
  const read = await readAttachments(files, ports);
  expect([...(read?.values() ?? [])]).toMatchObject([
    { kind: "image", isHeld: true },
    { kind: "image", isHeld: true },
    { kind: "failed", reason: "without file storage, the images of a message may have 8 MB in total" },
  ]);
});

test("a content that cannot be stored is available in its own turn [OR-329]", async () => {
  const { ports, lost } = await setUp(new TextEncoder().encode("rain"));
  const full = { ...ports.kept, save: () => Promise.reject(new Error("the storage is full")) };
  const read = await readAttachments([attachment("a1_1", "text/plain")], { ...ports, kept: full });
  expect(read?.get("a1_1")).toMatchObject({ text: "rain" });
  expect(lost).toHaveLength(1);
});
