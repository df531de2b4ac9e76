/** The files of a message one by one: what is downloaded at all, what is noted before a file is read, what is kept. */
import { describe, expect, test } from "vitest";
import { makePdf } from "../../../../test/support/peers/media-files.ts";
import type { JsonValue } from "../../../platform/json.ts";
import { success } from "../../../platform/result.ts";
import type { PluginKv } from "../../framework/storage.ts";
import { createKeptContents } from "./kept-contents.ts";
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
    now: () => 0,
    notKept: (thrown) => lost.push(thrown),
    ...change,
  };
  return { stored, ports, downloaded, lost };
}

describe("what is downloaded [OR-321, OR-323]", () => {
  test("no file of a type that is not read, and none once the time of the message is over", async () => {
    const { ports, downloaded } = await setUp(new TextEncoder().encode("rain"));
    const audio = await readAttachments([attachment("a1_1", "audio/mpeg")], ports);
    expect(audio?.get("a1_1")).toEqual({ kind: "failed", reason: "files of its type are not read" });
    const late = { ...ports, fileSignal: () => AbortSignal.abort() };
    const text = await readAttachments([attachment("a1_2", "text/plain")], late);
    expect(text?.get("a1_2")).toEqual({ kind: "failed", reason: "it took longer than 60 seconds" });
    expect(downloaded).toEqual([]);
  });

  test("no file that was read before, whether it could be or not", async () => {
    const { ports, downloaded } = await setUp(new TextEncoder().encode("rain"));
    const files = [attachment("a1_1", "text/plain"), attachment("a1_2", "image/png")];
    const first = await readAttachments(files, ports);
    expect(await readAttachments(files, ports)).toEqual(first);
    expect(downloaded).toEqual(["a1_1", "a1_2"]);
  });
});

test("a PDF is noted before it is read, so that one that ends its reader is not read again [OR-325]", async () => {
  const pdf = await makePdf(["rain"]);
  const noted: unknown[] = [];
  const { ports, stored } = await setUp(pdf, {
    now() {
      noted.push(structuredClone(stored.get("file/s/a1_1")));
      return 0;
    },
  });
  const files = [attachment("a1_1", "application/pdf")];
  const read = await readAttachments(files, ports);
  expect(noted[0]).toMatchObject({ kind: "failed", reason: "reading it did not end" });
  expect(read?.get("a1_1")).toMatchObject({ kind: "text", text: "## Page 1\nrain" });
  expect(stored.get("file/s/a1_1")).toMatchObject({ kind: "text" });

  // As a reader leaves it that does not come back.
  stored.set("file/s/a1_1", noted[0] as JsonValue);
  const again = await readAttachments(files, { ...ports, download: () => Promise.reject(new Error("read again")) });
  expect(again?.get("a1_1")).toMatchObject({ kind: "failed", reason: "reading it did not end" });
});

test("a content that cannot be kept is there in its own turn all the same [OR-329]", async () => {
  const { ports, lost } = await setUp(new TextEncoder().encode("rain"));
  const full = { ...ports.kept, save: () => Promise.reject(new Error("the storage is full")) };
  const read = await readAttachments([attachment("a1_1", "text/plain")], { ...ports, kept: full });
  expect(read?.get("a1_1")).toMatchObject({ text: "rain" });
  expect(lost).toHaveLength(1);
});
