/** Bulk import: lines of NDJSON become domains, once each, however often they are sent (decisions 5.4). For admins. */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { numberedLines, REQUEST_BYTES } from "../bulk/import-lines.ts";
import { NDJSON, ndjsonResponse } from "../bulk/ndjson.ts";
import { runImport, type LineReport } from "../bulk/import-run.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { printTime } from "../domain/time.ts";
import { boundedText, type BodyTypes } from "../middleware/body.ts";
import { keyed } from "../middleware/keyed.ts";
import { cursorOf } from "../lists/cursor.ts";
import { answerPage, pageFrom, pageLimitOf, queryOf } from "../middleware/query.ts";
import { registryFailure, refused, failureOfDetails } from "../failures.ts";
import { IMPORT_ID, LAST_LINE, list, read, send } from "./imports/operations.ts";
import { listImports, readDoneRanges, readImport, type Import } from "../store/import-store.ts";

export const importRoutes = new Hono<RegistryHono>();

const bodyTypes: BodyTypes = {
  header: "Accept-Post",
  preferred: NDJSON,
  // Its other names, and what curl and generated clients say of any text. JSON is not among them: it is no lines.
  accepts: (type) =>
    [NDJSON, "application/ndjson", "application/jsonl", "text/plain", "application/x-www-form-urlencoded", ""].includes(
      type,
    ),
};

importRoutes.post(send.path, keyed("registry:admin"), async (c) => {
  const importId = namedImport(c);
  if (!importId.ok) return refuse(c, importId.error);
  const query = queryOf(c, ["firstLine", "dryRun"]);
  if (!query.ok) return refuse(c, query.error);
  const first = numberOf(query.value, "firstLine", 1);
  if (!first.ok) return refuse(c, first.error);
  const dryRun = flagOf(query.value, "dryRun");
  if (!dryRun.ok) return refuse(c, dryRun.error);
  const text = await boundedText(c, REQUEST_BYTES, bodyTypes);
  if (!text.ok) return refuse(c, text.error);
  const lines = numberedLines(text.value, first.value);
  if (!lines.ok) return refuse(c, lines.error);
  const request = {
    importId: importId.value,
    importer: c.var.caller.did,
    dryRun: dryRun.value,
    lines: lines.value,
  };
  return ndjsonResponse(reportsOf(c, request), c.env.log);
});

async function* reportsOf(
  c: RegistryContext,
  request: Parameters<typeof runImport>[1],
): AsyncGenerator<readonly object[]> {
  const { importId, dryRun } = request;
  const counts = { created: 0, existing: 0, valid: 0, failed: 0 } satisfies Record<LineReport["status"], number>;
  try {
    for await (const reports of runImport(c.var.runtime, request, c.env.log)) {
      for (const { status } of reports) counts[status] += 1;
      yield reports;
    }
  } finally {
    // The answer began before the work did, and its reader may leave before the end.
    if (counts.created > 0) await c.var.runtime.waker.wakeSoon(c.env.log);
  }
  const summary = { importId, dryRun, lines: request.lines.length, ...counts };
  c.env.log.info("lines-imported", { ...summary, by: c.var.caller.keyId });
  yield [{ summary }];
}

importRoutes.get(list.path, keyed("registry:admin"), async (c) => {
  const query = queryOf(c, ["limit", "cursor"]);
  if (!query.ok) return refuse(c, query.error);
  const limit = pageLimitOf(query.value);
  if (!limit.ok) return refuse(c, limit.error);
  const cursor = cursorOf("imports");
  const position = cursor.read(query.value.get("cursor"), z.tuple([z.int(), z.string()]));
  if (!position.ok) return refuse(c, position.error);
  const after = position.value === null ? undefined : { createdAt: position.value[0], id: position.value[1] };
  const imports = await listImports(c.var.runtime.database, limit.value + 1, after);
  const endsAt = (last: Import) => [last.createdAt, last.id];
  return answerPage(c, pageFrom(imports, { limit: limit.value, show: shown, cursor, position: endsAt }));
});

importRoutes.get(read.path, keyed("registry:admin"), async (c) => {
  const importId = namedImport(c);
  if (!importId.ok) return refuse(c, importId.error);
  const query = queryOf(c, ["after"]);
  if (!query.ok) return refuse(c, query.error);
  const after = numberOf(query.value, "after", 0);
  if (!after.ok) return refuse(c, after.error);
  const { database } = c.var.runtime;
  const found = await readImport(database, importId.value);
  if (found === undefined) return refuse(c, registryFailure("not_found", "Nothing of this import is done"));
  const { ranges, next } = await readDoneRanges(database, importId.value, after.value);
  return c.json({ ...shown(found), done: ranges, nextAfter: next ?? null });
});

function shown({ createdAt, ...rest }: Import) {
  return { ...rest, createdAt: printTime(createdAt) };
}

function namedImport(c: RegistryContext): Result<string> {
  const id = c.req.param("importId") ?? "";
  if (IMPORT_ID.test(id)) return success(id);
  const message = "An import's id is 1 to 64 letters, digits, dots, dashes and underscores";
  return refused("validation_failed", message, { details: [{ parameter: "importId", reason: "format", message }] });
}

/** Decimal digits, at least `fallback`. */
function numberOf(query: URLSearchParams, name: string, fallback: number): Result<number> {
  const text = query.get(name);
  const value = text === null ? fallback : /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (value >= fallback && value <= LAST_LINE) return success(value);
  const message = `${name} must be a whole number from ${fallback} to ${LAST_LINE}`;
  return failure(failureOfDetails([{ parameter: name, reason: "range", message }]));
}

function flagOf(query: URLSearchParams, name: string): Result<boolean> {
  const text = query.get(name) ?? "false";
  if (text === "true" || text === "false") return success(text === "true");
  const message = `${name} must be true or false`;
  return failure(failureOfDetails([{ parameter: name, reason: "range", message }]));
}

export const importOperations: readonly Operation[] = [send, list, read];
