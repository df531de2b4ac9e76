/**
 * Imports the lines of a request: validates them, stores new domains in batches, and reports on each line in order. A
 * failed line does not stop the others. A line that is already imported is skipped, however often it is sent.
 */
import { describeThrown, type Logger } from "../../../platform/log.ts";
import type { RegistryRuntime } from "../context.ts";
import { DOMAIN_ID_BYTES, domainIdOf } from "../domain/domain-id.ts";
import { sha256Hex } from "../../../platform/digest.ts";
import type { IgnoredMembers } from "../domain/ignored-members.ts";
import { registryFailure } from "../failures.ts";
import { problemError } from "../../../platform/http/error-bodies.ts";
import type { Failure } from "../../../platform/failure.ts";
import { failureOfThrown } from "../failures.ts";
import { ATTEMPTS, commit } from "../store/batch.ts";
import { bulkDomainOf, bulkStatements, packed, type BulkDomain } from "../store/bulk-creation.ts";
import { doneStatements, readDoneLines, storedImportId, type DoneLine } from "../store/import-store.ts";
import { readLine, type NumberedLine } from "./import-lines.ts";

/** Lines that are stored and reported together. Their index entries are written once per chunk, in about 0.3 s. */
const CHUNK_LINES = 250;

export interface ImportRequest {
  readonly importId: string;
  /** The DID of the importing key. */
  readonly importer: string;
  readonly dryRun: boolean;
  readonly lines: readonly NumberedLine[];
}

export type LineReport =
  | ({ readonly line: number; readonly status: "created"; readonly id: string } & IgnoredMembers)
  | { readonly line: number; readonly status: "existing"; readonly id: string }
  | ({ readonly line: number; readonly status: "valid" } & IgnoredMembers)
  | {
      readonly line: number;
      readonly status: "failed";
      readonly code: string;
      readonly detail: string;
      readonly errors: readonly object[];
    };

type Platform = Pick<RegistryRuntime, "database" | "clock" | "randomBytes" | "config">;

/** Reports in the order of the lines, a chunk at a time. */
export async function* runImport(
  platform: Platform,
  request: ImportRequest,
  log: Logger,
): AsyncGenerator<readonly LineReport[]> {
  const storedId = await storedImportId(platform.database, request.importId, request.importer);
  let full: Failure | undefined;
  for (let at = 0; at < request.lines.length; at += CHUNK_LINES) {
    const lines = request.lines.slice(at, at + CHUNK_LINES);
    if (full !== undefined) {
      const reason = full;
      yield lines.map(({ number }) => failed(number, reason));
      continue;
    }
    try {
      yield await runChunk(platform, request, storedId, lines);
    } catch (thrown) {
      log.error("import-chunk-failed", { import: request.importId, reason: describeThrown(thrown) });
      const reason = failureOfThrown(thrown);
      if (reason.code === "storage_full") full = reason;
      // We cannot tell whether the chunk was stored. The client finds out by sending it again.
      yield lines.map(({ number }) => failed(number, reason));
    }
  }
}

interface Candidate extends DoneLine {
  readonly bulk: BulkDomain;
  readonly ignored: IgnoredMembers;
}

async function runChunk(
  platform: Platform,
  request: ImportRequest,
  storedId: string,
  lines: readonly NumberedLine[],
): Promise<readonly LineReport[]> {
  const { database } = platform;
  const [first, last] = [lines.at(0)?.number ?? 0, lines.at(-1)?.number ?? 0];
  const done = await readDoneLines(database, storedId, first, last);
  const read = await Promise.all(lines.map((line) => readCandidate(platform, request, line, done.get(line.number))));
  const candidates = read.flatMap((each) => ("bulk" in each ? [each] : []));
  const reports = new Map(read.flatMap((each) => ("status" in each ? [[each.line, each] as const] : [])));
  for (const pack of request.dryRun ? [] : packed(candidates)) {
    for (const report of await store(platform, storedId, request.importer, pack)) reports.set(report.line, report);
  }
  const ignoredOf = new Map(candidates.map(({ line, ignored }) => [line, ignored]));
  return lines.map(({ number }) => reports.get(number) ?? { line: number, status: "valid", ...ignoredOf.get(number) });
}

async function readCandidate(
  { clock, randomBytes, config }: Platform,
  { importId, importer }: ImportRequest,
  { number, text }: NumberedLine,
  done: DoneLine | undefined,
): Promise<Candidate | LineReport> {
  const fingerprint = await sha256Hex(text);
  if (done !== undefined) return repeated(done, fingerprint);
  const at = clock();
  const read = await readLine(text, {
    id: domainIdOf(randomBytes(DOMAIN_ID_BYTES)),
    importer,
    at,
    relayerNode: config.REGISTRY_RELAYER_NODE,
    reason: `Import ${importId}, line ${number}`,
  });
  if (!read.ok) return failed(number, read.error);
  const { step, ignored } = read.value;
  const bulk = bulkDomainOf(step);
  return { line: number, domainId: bulk.id, fingerprint, bulk, ignored };
}

/** After a conflict, another request has stored some of the lines: those count as done, and the rest are retried. */
async function store(
  { database, clock }: Platform,
  storedId: string,
  importer: string,
  pack: readonly Candidate[],
): Promise<readonly LineReport[]> {
  const reports: LineReport[] = [];
  let left = pack;
  for (let attempt = 0; attempt < ATTEMPTS && left.length > 0; attempt += 1) {
    const outcome = await commit(database, [
      ...doneStatements(
        database,
        { id: storedId, createdBy: importer, createdAt: clock() },
        left.map(({ line, domainId, fingerprint }) => ({ line, domainId, fingerprint })),
      ),
      ...bulkStatements(
        database,
        left.map(({ bulk }) => bulk),
      ),
    ]);
    if (outcome === "committed") {
      const created = left.map(({ line, domainId: id, ignored }): LineReport => ({
        line,
        status: "created",
        id,
        ...ignored,
      }));
      return [...reports, ...created];
    }
    const done = await readDoneLines(database, storedId, left.at(0)?.line ?? 0, left.at(-1)?.line ?? 0);
    for (const { line, fingerprint } of left) {
      const other = done.get(line);
      if (other !== undefined) reports.push(repeated(other, fingerprint));
    }
    left = left.filter(({ line }) => !done.has(line));
  }
  const contention = registryFailure(
    "write_contention",
    "Another request is writing the same lines; send this line again",
  );
  return [...reports, ...left.map(({ line }) => failed(line, contention))];
}

function repeated({ line, domainId, fingerprint }: DoneLine, sent: string): LineReport {
  if (fingerprint === sent) return { line, status: "existing", id: domainId };
  const detail = `This line was already imported as ${domainId} with a different text; change that domain, or use a new import id`;
  return failed(line, registryFailure("idempotency_mismatch", detail));
}

function failed(line: number, { code, reason = code, message, details = [] }: Failure): LineReport {
  return { line, status: "failed", code: reason, detail: message, errors: details.map(problemError) };
}
