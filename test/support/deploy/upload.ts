/** The multipart body with which wrangler uploads a version: `metadata`, and one part for each module. */
import * as z from "zod";

const binding = z.looseObject({ name: z.string(), type: z.string() });
const step = z.looseObject({
  new_classes: z.array(z.string()).optional(),
  new_sqlite_classes: z.array(z.string()).optional(),
  deleted_classes: z.array(z.string()).optional(),
});

const uploadMetadata = z.looseObject({
  main_module: z.string(),
  bindings: z.array(binding),
  compatibility_date: z.string().optional(),
  compatibility_flags: z.array(z.string()).optional(),
  keep_bindings: z.array(z.string()).optional(),
  migrations: z.looseObject({ old_tag: z.string().optional(), new_tag: z.string(), steps: z.array(step) }).optional(),
  observability: z.looseObject({}).optional(),
  annotations: z.looseObject({ "workers/message": z.string().optional() }).optional(),
});

export type UploadMetadata = z.infer<typeof uploadMetadata>;
export type UploadBinding = z.infer<typeof binding>;

export interface Upload {
  readonly metadata: UploadMetadata;
  readonly modules: ReadonlyMap<string, Uint8Array>;
}

export async function readUpload(request: Request): Promise<Upload> {
  const parts = await request.formData();
  const text = parts.get("metadata");
  const metadata = uploadMetadata.parse(JSON.parse(typeof text === "string" ? text : ""));
  const modules = new Map<string, Uint8Array>();
  for (const [name, part] of parts)
    if (typeof part !== "string") modules.set(name, new Uint8Array(await part.arrayBuffer()));
  return { metadata, modules };
}
