/** `GET`, `POST` and `DELETE /attachments`: lists the accepted uploads, uploads a file, deletes it. */
import * as z from "zod";
import { refuse } from "../../framework/admission.ts";
import { readLimited } from "../../framework/guarded-fetch.ts";
import { route, type PluginRoute, type RouteContext } from "../../framework/plugin-routes.ts";
import { UPLOAD_BYTES, UPLOAD_HOURS, UPLOAD_MS, WAITING_UPLOADS } from "./limits.ts";
import { agrees, readingOf, SIZE_LIMITS, UPLOAD_TYPES, type Reading } from "./media-type.ts";
import { addressOf, dropUpload, storeUpload, uploadIdOf, type UploadStore } from "./uploads.ts";

const limitOf = (reading: Reading): number => Math.min(SIZE_LIMITS[reading].bytes, UPLOAD_BYTES);
const MEGABYTE = 1_000_000;

const uploadRules = z
  .object({
    uploads: z.boolean().meta({ description: "Whether this oracle stores files itself: it has the bucket `BLOBS`." }),
    accept: z.array(z.string()).meta({ description: "For the attribute `accept` of a file input." }),
    maxBytes: z.int(),
    maxWaiting: z.int().meta({ description: "Files of a user that have not been sent with a message yet." }),
  })
  .meta({ id: "UploadRules" });

const uploaded = z
  .object({
    mxcUri: z.string().meta({ description: "For the attachment of a message." }),
    mimetype: z.string(),
    size: z.int().meta({ description: "Bytes." }),
    expiresAt: z.string().meta({ description: "RFC 3339. A file that no message has named by then is deleted." }),
  })
  .meta({ id: "UploadedFile" });

const NO_BUCKET = "This oracle stores no files: the operator must bind the bucket BLOBS";

/** Undefined on a host without a bucket. Plugin routes identify the caller by the request's signature. */
function storeOf({ user, storageOf }: RouteContext): UploadStore | undefined {
  if (user === undefined) return undefined;
  const { kv, blobs } = storageOf(user.did);
  return blobs === undefined ? undefined : { kv, blobs };
}

const readRules = route({
  method: "get",
  path: "/attachments",
  id: "readUploadRules",
  summary: "Get the limits for uploads",
  responses: { 200: { description: "The limits", schema: uploadRules } },
  handler: (_request, ctx) =>
    Response.json({
      uploads: storeOf(ctx) !== undefined,
      accept: UPLOAD_TYPES,
      maxBytes: UPLOAD_BYTES,
      maxWaiting: WAITING_UPLOADS,
    }),
});

const upload = route({
  method: "post",
  path: "/attachments",
  id: "uploadAttachment",
  summary: "Upload a file for a message",
  description:
    "The body is the file, `Content-Type` its type. Send the `mxcUri` of the response as an attachment of a message: the turn reads the file and deletes it.",
  responses: {
    201: { description: "Stored", schema: uploaded },
    400: { description: "The type is not supported, or the content does not match it" },
    409: { description: "The limit of waiting files is reached" },
    413: { description: "The file is too large" },
    503: { description: "The oracle stores no files" },
  },
  async handler(request, ctx) {
    const store = storeOf(ctx);
    if (store === undefined) return refuse("unavailable", NO_BUCKET, { retryable: false });
    const mimetype = request.headers.get("Content-Type") ?? "";
    const reading = readingOf(mimetype);
    if (reading === undefined) return refuse("invalid_request", "Files of this type are not read");
    const limit = limitOf(reading);
    const body = request.body?.pipeThrough(new TransformStream(), { signal: AbortSignal.timeout(UPLOAD_MS) }) ?? null;
    const read = await readLimited({ body, headers: request.headers }, limit);
    if (!read.ok)
      return read.error === "too_large"
        ? refuse("too_large", `A file of this type can have at most ${limit / MEGABYTE} MB`)
        : refuse("invalid_request", "The upload is incomplete");
    const bytes = read.value;
    if (bytes.byteLength === 0) return refuse("invalid_request", "The file is empty");
    if (!agrees(mimetype, bytes)) return refuse("invalid_request", "The content of the file does not match its type");
    const now = Date.now();
    const id = await storeUpload(store, bytes, now);
    if (id === undefined)
      return refuse("conflict", `At most ${WAITING_UPLOADS} files wait for a message. Send or delete one first`, {
        reason: "upload_limit",
      });
    const expiresAt = new Date(now + UPLOAD_HOURS * 3_600_000).toISOString();
    return Response.json({ mxcUri: addressOf(id), mimetype, size: bytes.byteLength, expiresAt }, { status: 201 });
  },
});

const remove = route({
  method: "delete",
  path: "/attachments/:address",
  id: "deleteAttachment",
  summary: "Delete an upload that no message has named yet",
  description: "`deleted` is 0 if it did not exist.",
  params: z.object({ address: z.string().max(100).meta({ description: "The `mxcUri` of the upload." }) }),
  responses: { 200: { description: "Deleted", schema: z.object({ deleted: z.int() }), example: { deleted: 1 } } },
  async handler(_request, ctx) {
    const store = storeOf(ctx);
    const id = uploadIdOf(ctx.params.address);
    const wasThere = store !== undefined && id !== undefined && (await dropUpload(store, id));
    return Response.json({ deleted: wasThere ? 1 : 0 });
  },
});

export const uploadRoutes: readonly PluginRoute[] = [readRules, upload, remove];
