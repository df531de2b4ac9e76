/** The reasons for which the platform refuses an upload: what its bindings name must exist. */
import type { Account, StoredWorker } from "./account.ts";
import { refuse, type Refusal } from "./answers.ts";
import type { Upload, UploadBinding } from "./upload.ts";

/** A namespace in use must keep its class; a new one must be exported. */
const EXPORTED_NAMES = /export\s*\{([^}]*)\}/g;
const NO_ID = /^[0-]*$/;

export function uploadFault(account: Account, worker: StoredWorker, upload: Upload): Refusal | undefined {
  const { metadata, modules } = upload;
  const main = modules.get(metadata.main_module);
  if (main === undefined) return refuse(400, 10_021, `Uncaught Error: No such module "${metadata.main_module}".`);
  const { migrations } = metadata;
  if (migrations !== undefined && migrations.old_tag !== worker.migrationTag)
    return refuse(412, 10_079, `Actor migration tag precondition failed: found "${worker.migrationTag ?? ""}".`);
  const classes = classesAfter(worker, upload);
  const missing = [...classes].find((name) => !exportedNames(new TextDecoder().decode(main)).has(name));
  if (missing !== undefined)
    return refuse(
      400,
      10_064,
      `New version of script does not export class '${missing}' which is depended on by existing Durable Objects.`,
    );
  for (const binding of metadata.bindings) {
    const fault = bindingFault(account, worker, classes, binding);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The Durable Object classes of the Worker once the upload's migrations are applied. */
export function classesAfter(worker: StoredWorker, { metadata }: Upload): ReadonlySet<string> {
  const classes = new Set(worker.classes);
  for (const step of metadata.migrations?.steps ?? []) {
    for (const name of [...(step.new_classes ?? []), ...(step.new_sqlite_classes ?? [])]) classes.add(name);
    for (const name of step.deleted_classes ?? []) classes.delete(name);
  }
  return classes;
}

function exportedNames(code: string): ReadonlySet<string> {
  const lists = [...code.matchAll(EXPORTED_NAMES)].flatMap(([, list = ""]) => list.split(","));
  return new Set(
    lists.map(
      (entry) =>
        entry
          .trim()
          .split(/\s+as\s+/)
          .at(-1) ?? "",
    ),
  );
}

function bindingFault(
  { databases, buckets }: Account,
  worker: StoredWorker,
  classes: ReadonlySet<string>,
  { name, type, ...target }: UploadBinding,
): Refusal | undefined {
  const word = (member: string): string => {
    const value = target[member];
    return typeof value === "string" ? value : "";
  };
  switch (type) {
    case "d1": {
      const id = word("id") === "" ? word("database_id") : word("id");
      if (NO_ID.test(id)) return refuse(400, 10_021, `binding ${name} of type d1 must have a valid \`id\` specified`);
      if (databases.has(id)) return undefined;
      return refuse(400, 10_181, `D1 binding '${name}' references database '${id}' which was not found.`);
    }
    case "r2_bucket": {
      const bucket = word("bucket_name");
      if (buckets.has(bucket)) return undefined;
      return refuse(400, 10_085, `R2 bucket '${bucket}' not found. Please use a different name and try again.`);
    }
    case "durable_object_namespace": {
      const className = word("class_name");
      if (classes.has(className)) return undefined;
      return refuse(
        400,
        10_061,
        `Cannot create binding for class '${className}' because it is not currently configured to implement Durable Objects.`,
      );
    }
    case "inherit": {
      const last = worker.versions.at(-1);
      if (last?.secrets.has(name) === true) return undefined;
      return refuse(400, 10_057, `inherit binding '${name}' is invalid: the previous version has no such binding`);
    }
    case "ai":
    case "assets":
    case "plain_text":
    case "json":
    case "secret_text":
    case "version_metadata":
      return undefined;
    default:
      return refuse(400, 10_021, `binding ${name} has the type ${type}, which this server does not know`);
  }
}
