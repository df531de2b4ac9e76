/** Files that a client uploads to the oracle: read by the turn that names them, limited, and private to their user. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { attachments } from "../../oracle/plugins/attachments/plugin.ts";
import { IMAGE_BYTES, UPLOAD_BYTES, UPLOAD_HOURS, WAITING_UPLOADS } from "../../oracle/plugins/attachments/limits.ts";
import { storeUpload, uploadIdOf } from "../../oracle/plugins/attachments/uploads.ts";
import { testOracle, type TestOracle } from "../../workers/oracle/testing/index.ts";
import { createPluginBlobs } from "../../oracle/framework/plugin-blobs.ts";

afterEach(() => {
  vi.useRealTimers();
});

interface Uploaded {
  readonly mxcUri: string;
  readonly size: number;
}

const start = (): Promise<TestOracle> => testOracle({ plugins: [attachments] });
const send = (oracle: TestOracle, body: BodyInit, type = "text/plain") =>
  oracle.fetch("/attachments", { method: "POST", body, headers: { "Content-Type": type } });
const upload = async (oracle: TestOracle, text: string): Promise<Uploaded> => (await send(oracle, text)).json();
const attached = (mxcUri: string) => ({ attachments: [{ mxcUri, filename: "notes.txt", mimetype: "text/plain" }] });
const remove = async (oracle: TestOracle, address: string): Promise<unknown> =>
  (await oracle.fetch(`/attachments/${encodeURIComponent(address)}`, { method: "DELETE" })).json();

test("an uploaded file is read by its turn, shown again later, and takes no place afterwards [OR-585, OR-587]", async () => {
  const oracle = await start();
  const { mxcUri, size } = await upload(oracle, "The harvest was 42 tonnes.");
  expect(size).toBe(26);
  expect((await oracle.say("Read", attached(mxcUri))).text).toContain("The harvest was 42 tonnes.");
  expect((await oracle.say('/tool view_attachment {"id":"a1_1"}')).text).toContain("The harvest was 42 tonnes.");
  expect(await remove(oracle, mxcUri)).toEqual({ deleted: 0 });
  expect((await oracle.say("Again", attached(mxcUri))).text).toContain(
    "could not be read: the oracle no longer has it",
  );
});

test("no other user reads or deletes a file whose address they know [OR-586]", async () => {
  const oracle = await start();
  const { mxcUri } = await upload(oracle, "A secret of one user.");
  const stranger = await oracle.anotherUser();
  const turn = await stranger.say("Read", attached(mxcUri));
  expect(turn.text).not.toContain("A secret");
  expect(turn.text).toContain("the oracle no longer has it");
  expect(await remove(stranger, mxcUri)).toEqual({ deleted: 0 });
  expect(await remove(oracle, mxcUri)).toEqual({ deleted: 1 });
  expect((await oracle.fetch("/attachments", { anonymous: true })).status).toBe(401);
});

test("a file has an accepted type, content of that type, and at most its maximum size [OR-588]", async () => {
  const oracle = await start();
  expect(await (await oracle.fetch("/attachments")).json()).toMatchObject({ uploads: true, maxBytes: UPLOAD_BYTES });
  expect((await send(oracle, "x", "application/zip")).status).toBe(400);
  expect((await send(oracle, "x", "image/png")).status).toBe(400);
  expect((await send(oracle, "")).status).toBe(400);
  expect((await send(oracle, new Uint8Array(IMAGE_BYTES + 1), "image/png")).status).toBe(413);
  expect((await send(oracle, "x".repeat(UPLOAD_BYTES))).status).toBe(201);
  expect((await send(oracle, "x".repeat(UPLOAD_BYTES + 1))).status).toBe(413);
});

test("as many files can wait as one message can have, even with concurrent uploads [OR-589]", async () => {
  const oracle = await start();
  const sent = await Promise.all(Array.from({ length: WAITING_UPLOADS + 3 }, (_, at) => send(oracle, `file ${at}`)));
  const statuses = sent.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(WAITING_UPLOADS);
  expect(new Set(statuses)).toEqual(new Set([201, 409]));
  const stored = sent.find(({ status }) => status === 201);
  const { mxcUri = "" } = (await stored?.json<Uploaded>()) ?? {};
  expect(await remove(oracle, mxcUri)).toEqual({ deleted: 1 });
  expect((await send(oracle, "again")).status).toBe(201);
});

test("a file that no message named frees its place after a day [OR-589]", async () => {
  const oracle = await start();
  const bucket = env.BLOBS;
  if (bucket === undefined) throw new Error("The tests have a bucket");
  const store = {
    kv: oracle.kv("attachments"),
    blobs: createPluginBlobs(() => bucket, "attachments", "did:example:day"),
  };
  const bytes = new TextEncoder().encode("old");
  const now = Date.now();
  for (let at = 0; at < WAITING_UPLOADS; at += 1) expect(await storeUpload(store, bytes, now)).toBeDefined();
  expect(await storeUpload(store, bytes, now + UPLOAD_HOURS * 3_600_000 - 1)).toBeUndefined();
  expect(await storeUpload(store, bytes, now + UPLOAD_HOURS * 3_600_000)).toBeDefined();
  expect((await store.blobs.list("upload/")).keys).toHaveLength(1);
});

test("a file of a user who never returns is deleted after a day [OR-589, OR-607]", async () => {
  const oracle = await testOracle({ plugins: [attachments] });
  const once = await oracle.anotherUser();
  const bucket = env.BLOBS;
  if (bucket === undefined) throw new Error("The tests have a bucket");
  const { did } = once.user;
  const blobs = createPluginBlobs(() => bucket, "attachments", did);
  const vault = env.USER_VAULT.getByName(did);
  expect((await send(once, "left alone")).status).toBe(201);
  expect((await blobs.list("upload/")).keys).toHaveLength(1);
  const uploadedAt = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: uploadedAt + UPLOAD_HOURS * 3_600_000 - 60_000 });
  await runDurableObjectAlarm(vault);
  expect((await blobs.list("upload/")).keys).toHaveLength(1);
  vi.setSystemTime(uploadedAt + UPLOAD_HOURS * 3_600_000 + 60_000);
  await runDurableObjectAlarm(vault);
  expect((await blobs.list("upload/")).keys).toEqual([]);
  expect((await once.kv("attachments").list()).keys).toEqual([]);
});

test.each(["oracle-file:0-x", "oracle-file:../../other", "https://example.org/0-1", ""])(
  "%j is not the address of an upload [OR-586]",
  (address) => {
    expect(uploadIdOf(address)).toBeUndefined();
  },
);
