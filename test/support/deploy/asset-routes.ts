/** Static assets: a session lists the files that the account lacks, and the uploads complete it. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { refuse } from "./answers.ts";
import type { Route } from "./routes.ts";

const session = z.object({ manifest: z.record(z.string(), z.object({ hash: z.string(), size: z.number() })) });
/** Files in one upload. */
const BUCKET_SIZE = 50;
const COMPLETE = "assets-complete-";

/** Whether a token of an upload says that every file is there. */
export function isCompletion(jwt: unknown): boolean {
  return typeof jwt === "string" && jwt.startsWith(COMPLETE);
}

export const assetRoutes: readonly Route[] = [
  [
    "POST",
    "/workers/scripts/:name/assets-upload-session",
    async ({ account, request }) => {
      const { manifest } = session.parse(await request.json());
      const lacking = [...new Set(Object.values(manifest).map(({ hash }) => hash))].filter(
        (hash) => !account.assets.has(hash),
      );
      if (lacking.length === 0) return { result: { jwt: COMPLETE + randomUUID(), buckets: [] } };
      const buckets = Array.from({ length: Math.ceil(lacking.length / BUCKET_SIZE) }, (_, index) =>
        lacking.slice(index * BUCKET_SIZE, (index + 1) * BUCKET_SIZE),
      );
      return { result: { jwt: `assets-session-${randomUUID()}`, buckets } };
    },
  ],
  [
    "POST",
    "/workers/assets/upload",
    async ({ account, request }) => {
      for (const [hash, part] of await request.formData()) {
        if (typeof part === "string") return refuse(400, 10_021, `the asset ${hash} has no content`);
        account.assets.set(hash, Buffer.from(await part.text(), "base64").byteLength);
      }
      return { result: { jwt: COMPLETE + randomUUID() }, status: 201 };
    },
  ],
];
