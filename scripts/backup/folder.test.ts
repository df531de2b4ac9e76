/** The files of a backup: a wrong key, a damaged part and a changed manifest each get their own sentence. */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { backupCommand, restoreCommand } from "./arguments.ts";
import { BackupFolder, newManifest, type Manifest, type Part } from "./folder.ts";
import { backupKey, unseal } from "./sealed-file.ts";

const KEY = Buffer.alloc(32, 7);
const ID = "20260101T000000Z-00000001";

function written(): { folder: BackupFolder; manifest: Manifest; part: Part; path: string } {
  const path = temporaryDirectory();
  const folder = new BackupFolder(path, KEY);
  const part = folder.writePart({ file: `${ID}/00001-votes.part`, store: "votes", kind: "table" }, [["a"], ["b"]], 2);
  const manifest = newManifest(KEY, {
    id: ID,
    release: "0.2.0",
    engine: "D1",
    createdAt: "2026-01-01T00:00:00.000Z",
    tables: [],
    numbers: {},
    parts: [part],
    answers: {},
    changing: 0,
    progress: folder.sealProgress(ID, { tables: ["votes"] }),
  });
  folder.write(manifest);
  return { folder, manifest, part, path };
}

test("a part is compressed, encrypted, and read again [ALL-90]", () => {
  const { folder, manifest, part, path } = written();
  expect(folder.read(ID)).toEqual({ ok: true, value: manifest });
  expect(folder.readPart(part)).toEqual({ ok: true, value: [["a"], ["b"]] });
  expect(folder.readProgress(manifest)).toEqual({ tables: ["votes"] });
  expect(folder.unfinished()).toEqual({ ok: true, value: manifest });
  expect(folder.newest()).toMatchObject({ ok: false, error: expect.stringContaining("no complete backup") });
  folder.write({ ...manifest, finishedAt: "2026-01-01T00:01:00.000Z" });
  expect(folder.unfinished()).toEqual({ ok: true, value: undefined });
  expect(folder.newest()).toMatchObject({ ok: true, value: { id: ID } });
  expect(readFileSync(join(path, part.file)).toString("latin1")).not.toContain('"a"');
});

test("a wrong key, a damaged or exchanged part and a changed manifest are refused [ALL-90]", () => {
  const { folder, manifest, part, path } = written();
  const other = new BackupFolder(path, Buffer.alloc(32, 8));
  expect(other.read(ID)).toMatchObject({ ok: false, error: expect.stringContaining("is not the key of") });
  const otherName = unseal(KEY, `${ID}/00002-votes.part`, readFileSync(join(path, part.file)));
  expect(otherName).toMatchObject({ ok: false, error: expect.stringContaining("is damaged") });
  appendFileSync(join(path, part.file), "x");
  expect(folder.readPart(part)).toMatchObject({ ok: false, error: expect.stringContaining("SHA-256 differs") });
  renameSync(join(path, part.file), join(path, "gone"));
  expect(folder.readPart(part)).toMatchObject({ ok: false, error: expect.stringContaining("is missing") });
  const file = join(path, ID, "manifest.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"rows": 2', '"rows": 1'));
  expect(folder.read(ID)).toMatchObject({ ok: false, error: expect.stringContaining("was changed") });
  writeFileSync(file, "{");
  expect(folder.read(manifest.id)).toMatchObject({ ok: false, error: expect.stringContaining("not readable") });
});

test.each([undefined, "", "abc", "z".repeat(64)])("%j is no key [ALL-90]", (text) => {
  expect(backupKey(text)).toMatchObject({ ok: false, error: expect.stringContaining("BACKUP_KEY") });
});

test("a refused key is not repeated [ALL-90]", () => {
  expect(JSON.stringify(backupKey("z".repeat(64)))).not.toContain("zzz");
});

test("the command lines", () => {
  expect(backupCommand.parse(["/b", "--full"], {})).toMatchObject({ kind: "backup", folder: "/b", isFull: true });
  expect(backupCommand.parse(["verify", "/b"], {})).toMatchObject({ kind: "verify", url: "http://localhost:3000" });
  expect(backupCommand.parse([], {})).toEqual(new Error("name one folder for backups"));
  expect(backupCommand.parse(["verify", "/b", "--full"], {})).toEqual(new Error("verify takes no --full"));
  expect(restoreCommand.parse(["/b"], {})).toEqual(new Error("name the empty installation with --url"));
  const parsed = restoreCommand.parse(["/b", "--url", "https://a.example/", "--backup", ID], {});
  expect(parsed).toMatchObject({ kind: "restore", url: "https://a.example", backup: ID });
});
