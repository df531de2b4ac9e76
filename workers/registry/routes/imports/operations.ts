/** The routes of bulk imports as the API's description has them; `../imports.ts` answers them. */
import * as z from "zod";
import type { Operation } from "../../../platform/openapi.ts";
import { REQUEST_BYTES, REQUEST_LINES } from "../../bulk/import-lines.ts";
import { NDJSON } from "../../bulk/ndjson.ts";
import { did, detail, keyedProblems, keyedSecurity, pageOf, pageParameters, time } from "../../description.ts";
import { creationMembers } from "../../domain/draft.ts";
import { classMember, controllersMember, didMember } from "../../domain/members.ts";

const tag = "Bulk";

/** The last number that a line may have: far more than a registry has domains. */
export const LAST_LINE = 1_000_000_000;
export const IMPORT_ID = /^[\w.-]{1,64}$/;

const params = z.object({
  importId: z.string().regex(IMPORT_ID).meta({ description: "Of the client's choice, one for each file" }),
});

const lineQuery = z.object({
  firstLine: z
    .int()
    .min(1)
    .max(LAST_LINE)
    .optional()
    .meta({ description: "The number of the body's first line in the client's file; 1 unless told" }),
  dryRun: z.enum(["true", "false"]).optional().meta({ description: "Checks the lines and stores nothing" }),
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
    code: z.string().optional().meta({ description: "Of a problem, when failed" }),
    detail: z.string().optional(),
    errors: z.array(detail).optional(),
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
      .meta({ description: "The last line alone; an answer without it was cut off" }),
  })
  .meta({ id: "ImportReport", description: "One line of the answer" });

export const send: Operation = {
  method: "post",
  path: "/v1/imports/:importId/lines",
  id: "importDomains",
  summary: "Create a domain from each line",
  description: `At most ${REQUEST_LINES} lines and ${REQUEST_BYTES / 1024 / 1024} MiB. A line is checked as a creation is, and may name the domain's owner. Idempotent by import and number of the line: one that is a domain already is told as \`existing\`. A line that fails stops no other and may be sent again. The answer is streamed, a report for each line in order, then a summary.`,
  tag,
  security: keyedSecurity,
  params,
  query: lineQuery,
  body: {
    schema: z.string().meta({ description: "One ImportLine as JSON on each line" }),
    type: NDJSON,
    line: importLine,
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
    ...keyedProblems("validation_failed", "malformed_json", "body_too_large", "unsupported_media_type"),
  },
};

const importRecord = z
  .object({ id: z.string(), createdBy: did, createdAt: time })
  .meta({ id: "Import", description: "A file of domains, sent in parts" });

export const list: Operation = {
  method: "get",
  path: "/v1/imports",
  id: "listImports",
  summary: "List imports, newest first",
  tag,
  security: keyedSecurity,
  query: z.object(pageParameters),
  responses: {
    200: { description: "One page", content: { schema: pageOf(importRecord) }, headers: { Link: "The next page" } },
    ...keyedProblems("invalid_cursor", "invalid_page_size"),
  },
};

export const read: Operation = {
  method: "get",
  path: "/v1/imports/:importId",
  id: "getImport",
  summary: "Which lines of an import are done",
  description: "In ascending ranges; go on with `after=<nextAfter>` until that is null. All other lines may be sent.",
  tag,
  security: keyedSecurity,
  params,
  query: z.object({
    after: z.int().min(0).max(LAST_LINE).optional().meta({ description: "Only lines behind this one" }),
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
    ...keyedProblems("validation_failed", "not_found"),
  },
};
