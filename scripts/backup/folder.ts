/**
 * A folder of backups: each backup has a folder with its manifest and its parts. A manifest may name parts of earlier backups, whose
 * rows can only grow. Files are written under another name first, so a killed backup leaves no half file.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { failure, success, type Result } from "../../platform/result.ts";
import { Refusal } from "./operator.ts";
import { fingerprintOf, seal, sha256, signatureOf, unseal } from "./sealed-file.ts";

const FORMAT = 1;
const MANIFEST = "manifest.json";

const part = z.object({
  /** Relative to the folder of all backups. */
  file: z.string().regex(/^[\w-]+\/[\w-]+\.part$/),
  /** A table of the database, or a class of objects. */
  store: z.string(),
  kind: z.enum(["table", "objects"]),
  rows: z.number().int(),
  bytes: z.number().int(),
  sha256: z.string(),
  /** The number of the last row, in a table that only grows. */
  position: z.number().int().optional(),
});

const manifest = z.object({
  format: z.literal(FORMAT),
  id: z.string(),
  release: z.string(),
  engine: z.string(),
  createdAt: z.string(),
  /** Absent until the backup is complete. */
  finishedAt: z.string().optional(),
  /** Tells a wrong key. */
  key: z.string(),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.object({ name: z.string(), kind: z.enum(["integer", "text", "bytes"]) })),
      keyLength: z.number(),
    }),
  ),
  /** The last numbers of tables with automatic numbers. */
  numbers: z.record(z.string(), z.string()),
  parts: z.array(part),
  /** Digests of public answers, by path. */
  answers: z.record(z.string(), z.string()),
  /** Objects that changed each time while they were read. */
  changing: z.number().int(),
  /** Encrypted: how far the backup is. */
  progress: z.string(),
});

const signedManifest = manifest.extend({ signature: z.string() });

export type Part = z.output<typeof part>;
export type Manifest = z.output<typeof manifest>;

export function newManifest(key: Buffer, given: Omit<Manifest, "format" | "key">): Manifest {
  return { format: FORMAT, key: fingerprintOf(key), ...given };
}

/** @throws Refusal with the reason. */
export function linesOf(folder: BackupFolder, part: Part): readonly unknown[] {
  const lines = folder.readPart(part);
  if (!lines.ok) throw new Refusal(lines.error);
  return lines.value;
}

export class BackupFolder {
  readonly path: string;
  readonly key: Buffer;

  constructor(path: string, key: Buffer) {
    this.path = path;
    this.key = key;
  }

  /** The ids of all backups, oldest first. */
  ids(): readonly string[] {
    if (!existsSync(this.path)) return [];
    const names = readdirSync(this.path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return names
      .map(({ name }) => name)
      .filter((name) => existsSync(join(this.path, name, MANIFEST)))
      .toSorted();
  }

  read(id: string): Result<Manifest, string> {
    const file = join(this.path, id, MANIFEST);
    let json: unknown;
    try {
      json = JSON.parse(readFileSync(file, "utf8"));
    } catch {
      return failure(`${file} is not readable as JSON`);
    }
    const parsed = signedManifest.safeParse(json);
    if (!parsed.success) return failure(`${file} is no manifest of a backup that this release can read`);
    const { signature, ...content } = parsed.data;
    if (content.key !== fingerprintOf(this.key))
      return failure(`BACKUP_KEY is not the key of ${file}: it was made with another key`);
    if (signature !== signatureOf(this.key, JSON.stringify(content)))
      return failure(`${file} was changed after it was written`);
    return success(content);
  }

  /** The newest complete backup. */
  newest(): Result<Manifest, string> {
    for (const id of this.ids().toReversed()) {
      const found = this.read(id);
      if (!found.ok || found.value.finishedAt !== undefined) return found;
    }
    return failure(`${this.path} has no complete backup`);
  }

  /** The newest backup, if it is not complete. */
  unfinished(): Result<Manifest | undefined, string> {
    const id = this.ids().at(-1);
    if (id === undefined) return success(undefined);
    const found = this.read(id);
    return found.ok && found.value.finishedAt !== undefined ? success(undefined) : found;
  }

  write(content: Manifest): void {
    // Parsed, so that a reader computes the signature over the same text.
    const parsed = manifest.parse(content);
    const signature = signatureOf(this.key, JSON.stringify(parsed));
    this.#replace(join(this.path, content.id, MANIFEST), JSON.stringify({ ...parsed, signature }, undefined, 1));
  }

  writePart(given: Omit<Part, "bytes" | "sha256" | "rows">, lines: readonly unknown[], rows: number): Part {
    const bytes = seal(this.key, given.file, lines.map((line) => JSON.stringify(line)).join("\n"));
    this.#replace(join(this.path, given.file), bytes);
    return { ...given, rows, bytes: bytes.length, sha256: sha256(bytes) };
  }

  /** The lines of a part. */
  readPart({ file, sha256: expected }: Part): Result<readonly unknown[], string> {
    const path = join(this.path, file);
    if (!existsSync(path)) return failure(`the part ${path} is missing`);
    const bytes = readFileSync(path);
    if (sha256(bytes) !== expected)
      return failure(`the part ${path} is damaged: its SHA-256 differs from the manifest`);
    const text = unseal(this.key, file, bytes);
    if (!text.ok) return failure(`the part ${path} cannot be read: ${text.error}`);
    return success(text.value === "" ? [] : text.value.split("\n").map((line) => JSON.parse(line) as unknown));
  }

  sealProgress(id: string, value: object): string {
    return seal(this.key, id, JSON.stringify(value)).toString("base64");
  }

  readProgress({ id, progress }: Manifest): unknown {
    const text = unseal(this.key, id, Buffer.from(progress, "base64"));
    return text.ok ? JSON.parse(text.value) : undefined;
  }

  #replace(path: string, content: Buffer | string): void {
    mkdirSync(dirname(path), { recursive: true });
    const temporary = `${path}.tmp`;
    const file = openSync(temporary, "w", 0o600);
    try {
      const bytes = Buffer.from(content);
      for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  }
}
