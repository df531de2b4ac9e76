/** Bulk import, for admins: each line of NDJSON becomes one domain, however often it is sent. */
import * as z from "zod";
import { did, time } from "../domain/domain-schema.ts";
import { failsWith } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import { numberedLines, REQUEST_BYTES, REQUEST_LINES } from "../bulk/import-lines.ts";
import { runImport, type LineReport } from "../bulk/import-run.ts";
import { NDJSON, ndjsonResponse } from "../bulk/ndjson.ts";
import type { RegistryContext } from "../context.ts";
import { noteChange } from "../http/audited.ts";
import { problemDetail } from "../http/schemas.ts";
import { creationMembers } from "../domain/draft.ts";
import { ignoredForm } from "../domain/ignored-members.ts";
import { classMember, controllersMember, didMember } from "../domain/members.ts";
import { printTime } from "../domain/time.ts";
import { refused, registryFailure } from "../failures.ts";
import { keyed } from "../http/authentication.ts";
import { firstOf, pageFrom, pageParameters, pageResponse, replyPage, wholeNumber } from "../http/pages.ts";
import { route } from "../http/route.ts";
import { meteredPage } from "../http/row-meter.ts";
import { cursorOf } from "../lists/cursor.ts";
import { LIST_ROW } from "../lists/row-budget.ts";
import {
  DONE_WINDOW,
  importsWithLine,
  listImports,
  readDoneRanges,
  readImport,
  SEARCHED_IMPORTS,
  storedImportId,
  type Import,
} from "../store/import-store.ts";

/**
 * Rows that the search for a line and the status of an import may read, as rows of a small list: an index entry is one
 * unit.
 */
const SEARCH_ROWS = 2 * SEARCHED_IMPORTS;
const DONE_ROWS = DONE_WINDOW / LIST_ROW;

/** The highest line number: far more than the domains of a registry. */
const LAST_LINE = 1_000_000_000;

const tag = "Bulk";
const auth = keyed("registry:admin");
const idRule = "An import's id is 1 to 64 letters, digits, dots, dashes and underscores";
const params = z.object({
  importId: failsWith(
    z
      .string()
      .regex(/^[\w.-]{1,64}$/)
      .meta({ description: "Chosen by the client, one for each file" }),
    registryFailure("validation_failed", idRule, {
      details: [{ parameter: "importId", reason: "format", message: idRule }],
    }),
  ),
});

const importLine = creationMembers
  .partial({ class: true })
  .extend({ protocol: classMember.optional(), controller: controllersMember.optional(), owner: didMember.optional() })
  .meta({ id: "ImportLine", description: "As in POST /v1/domains, and the owner" });

const lineReport = z
  .object({
    line: z.int().optional(),
    status: z.enum(["created", "existing", "valid", "failed"]).optional(),
    id: did.optional().meta({ description: "The domain, when created or existing" }),
    code: z.string().optional().meta({ description: "The problem's code, if it failed" }),
    detail: z.string().optional(),
    errors: z.array(problemDetail).optional(),
    ...ignoredForm,
    summary: z
      .object({
        importId: z.string(),
        dryRun: z.boolean(),
        lines: z.int(),
        created: z.int(),
        existing: z.int(),
        valid: z.int(),
        failed: z.int(),
      })
      .optional()
      .meta({ description: "Only in the last line. A response without it was cut off" }),
  })
  .meta({ id: "ImportReport", description: "One line of the response" });

const send = route(
  {
    method: "post",
    path: "/v1/imports/:importId/lines",
    id: "importDomains",
    summary: "Create a domain from each line",
    description: `At most ${REQUEST_LINES} lines and ${REQUEST_BYTES / 1024 / 1024} MiB. Each line is checked like a creation and may name the domain's owner. Idempotent by import id and line number: a line that is already a domain is reported as \`existing\`. A line that fails does not stop the others and may be sent again. The response streams a report for each line in order, then a summary.`,
    tag,
    auth,
    params,
    query: z.object({
      firstLine: wholeNumber({ least: 1, greatest: LAST_LINE }).meta({
        description: "The number of the body's first line in the client's file. Default: 1",
      }),
      dryRun: z
        .preprocess(firstOf, z.enum(["true", "false"], { error: "must be true or false" }).optional())
        .meta({ description: "Checks the lines and stores nothing" }),
    }),
    body: {
      schema: z.string().meta({ description: "One ImportLine as JSON on each line" }),
      type: NDJSON,
      line: importLine,
      // Its alternative names, and the types that curl and generated clients send for any text. JSON is not accepted,
      // because it is not line-based.
      accepts: [
        NDJSON,
        "application/ndjson",
        "application/jsonl",
        "text/plain",
        "application/x-www-form-urlencoded",
        "",
      ],
      limit: REQUEST_BYTES,
      example:
        '{"type":"Project","class":"did:ixo:protocol/clean-cooking","metadata":{"name":"Clean Cooking Project"}}\n',
    },
    responses: {
      200: {
        description: "The reports",
        content: {
          schema: z.string().meta({ description: "One ImportReport as JSON on each line" }),
          type: NDJSON,
          line: lineReport,
        },
      },
    },
  },
  async ({ params: { importId }, query: { firstLine = 1, dryRun }, body, caller }, c) => {
    const text = await body();
    if (!text.ok) return text;
    const lines = numberedLines(text.value, firstLine);
    if (!lines.ok) return lines;
    const request = { importId, importer: caller.did, dryRun: dryRun === "true", lines: lines.value };
    return ndjsonResponse(reportsOf(c, request), c.env.log);
  },
);

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
    // The response began before the work, and its reader may disconnect before the end.
    if (counts.created > 0) await c.var.runtime.waker.wakeSoon(c.env.log);
    const { created, existing, failed } = counts;
    noteChange(c, { after: { lines: request.lines.length, created, existing, failed } });
    await c.var.endAudit?.();
  }
  const summary = { importId, dryRun, lines: request.lines.length, ...counts };
  c.env.log.info("lines-imported", { ...summary, by: c.var.caller.keyId });
  yield [{ summary }];
}

const importRecord = z
  .object({ id: z.string(), createdBy: did, createdAt: time })
  .meta({ id: "Import", description: "A file of domains, sent in parts" });

const list = route(
  {
    method: "get",
    path: "/v1/imports",
    id: "listImports",
    summary: "List imports, newest first",
    description:
      "With `line` and `fingerprint`, returns those of the newest 1,000 imports that have created a domain from this line: imports of the same file, under any name.",
    tag,
    auth,
    query: z.object({
      ...pageParameters,
      line: wholeNumber({ least: 1, greatest: LAST_LINE }).meta({
        description: "The number of a line; with `fingerprint`",
      }),
      fingerprint: z
        .preprocess(
          firstOf,
          z
            .string()
            .regex(/^[0-9a-f]{64}$/, { error: "must be a SHA-256 in hexadecimal" })
            .optional(),
        )
        .meta({ description: "SHA-256 of that line without spaces around it, in hexadecimal" }),
    }),
    responses: pageResponse(importRecord),
    failures: ["validation_failed", "invalid_cursor"],
  },
  async ({ query: { limit, cursor, line, fingerprint }, caller }, c) => {
    if ((line === undefined) !== (fingerprint === undefined)) {
      const message = "send line and fingerprint together";
      const parameter = line === undefined ? "line" : "fingerprint";
      return refused("validation_failed", message, { details: [{ parameter, reason: "required", message }] });
    }
    if (line !== undefined && fingerprint !== undefined) {
      const search = () => importsWithLine(c.var.runtime.database, caller.did, { line, fingerprint }, limit);
      const found = await meteredPage(c, SEARCH_ROWS, search);
      return found.ok ? replyPage(c, { items: found.value.map(representationOf), limit, nextCursor: null }) : found;
    }
    const cursors = cursorOf(["imports", caller.did]);
    const position = cursors.read(cursor, z.tuple([z.int(), z.string()]));
    if (!position.ok) return position;
    const after = position.value === null ? undefined : { createdAt: position.value[0], id: position.value[1] };
    const page = { limit: limit + 1, after };
    const imports = await meteredPage(c, page.limit, () => listImports(c.var.runtime.database, caller.did, page));
    if (!imports.ok) return imports;
    const endsAt = ({ createdAt, id }: Import) => [createdAt, id];
    return replyPage(c, pageFrom(imports.value, { limit, show: representationOf, cursors, position: endsAt }));
  },
);

const read = route(
  {
    method: "get",
    path: "/v1/imports/:importId",
    id: "getImport",
    summary: "Get the progress of an import",
    description:
      "Returns the imported lines in ascending ranges. Continue with `after=<nextAfter>` until it is null. All other lines may be sent.",
    tag,
    auth,
    params,
    query: z.object({
      after: wholeNumber({ least: 0, greatest: LAST_LINE }).meta({ description: "Only lines after this one" }),
    }),
    responses: {
      200: {
        description: "The import",
        content: {
          schema: importRecord.extend({
            done: z.array(z.object({ from: z.int(), to: z.int() })),
            nextAfter: z.int().nullable(),
          }),
        },
      },
    },
    failures: ["not_found"],
  },
  async ({ params: { importId }, query: { after = 0 }, caller }, c) => {
    const { database } = c.var.runtime;
    const stored = await storedImportId(database, importId, caller.did);
    const found = await readImport(database, stored);
    if (found === undefined) return refused("not_found", "No line of this import has been imported");
    const done = await meteredPage(c, DONE_ROWS, () => readDoneRanges(database, stored, after));
    if (!done.ok) return done;
    const { ranges, next } = done.value;
    return reply({ ...representationOf(found), done: ranges, nextAfter: next ?? null });
  },
);

function representationOf({ createdAt, ...rest }: Import) {
  return { ...rest, createdAt: printTime(createdAt) };
}

export const importRoutes = [send, list, read];
