/** Stores an upload as a version, and makes deployments of versions. */
import { randomUUID } from "node:crypto";
import { deployedVersion, type Account, type Share, type StoredWorker, type Version } from "./account.ts";
import { refuse, type Refusal } from "./answers.ts";
import { classesAfter, uploadFault } from "./upload-checks.ts";
import type { Upload, UploadMetadata } from "./upload.ts";

export function storeVersion(account: Account, worker: StoredWorker, upload: Upload): Version | Refusal {
  const fault = uploadFault(account, worker, upload);
  if (fault !== undefined) return fault;
  const { metadata, modules } = upload;
  for (const name of classesAfter(worker, upload)) worker.classes.add(name);
  worker.migrationTag = metadata.migrations?.new_tag ?? worker.migrationTag;
  const kept = metadata.keep_bindings?.includes("secret_text") === true ? (worker.versions.at(-1)?.secrets ?? []) : [];
  return addVersion(worker, { metadata, modules, secrets: new Map([...kept, ...secretsIn(metadata)]) });
}

/** A change of secrets creates a new version. */
export function withSecrets(worker: StoredWorker, secrets: ReadonlyMap<string, string | null>): Version | Refusal {
  const last = worker.versions.at(-1);
  if (last === undefined || last.id !== deployedVersion(worker)?.id)
    return refuse(400, 10_215, "Secret edit failed. The latest version of the Worker is not deployed.");
  const all = new Map(last.secrets);
  for (const [name, value] of secrets)
    if (value === null) all.delete(name);
    else all.set(name, value);
  return addVersion(worker, { metadata: last.metadata, modules: last.modules, secrets: all });
}

interface VersionContent {
  readonly metadata: UploadMetadata;
  readonly modules: ReadonlyMap<string, Uint8Array>;
  readonly secrets: ReadonlyMap<string, string>;
}

function addVersion(worker: StoredWorker, { metadata, modules, secrets }: VersionContent): Version {
  const version: Version = {
    id: randomUUID(),
    number: worker.versions.length + 1,
    createdOn: laterThan(worker.versions.at(-1)?.createdOn),
    message: metadata.annotations?.["workers/message"],
    metadata,
    modules,
    secrets,
    migrationTag: worker.migrationTag,
  };
  worker.versions.push(version);
  return version;
}

function secretsIn({ bindings }: UploadMetadata): [string, string][] {
  return bindings.flatMap(({ name, type, text }): [string, string][] =>
    type === "secret_text" && typeof text === "string" ? [[name, text]] : [],
  );
}

export function deployAll(worker: StoredWorker, version: Version): void {
  addDeployment(worker, [{ version_id: version.id, percentage: 100 }]);
}

export function addDeployment(worker: StoredWorker, versions: readonly Share[], message?: string): void {
  const createdOn = laterThan(worker.deployments.at(-1)?.createdOn);
  worker.deployments.push({ id: randomUUID(), createdOn, message, versions });
}

/** Wrangler sorts by time, and two deployments in one millisecond have an order too. */
function laterThan(earlier: string | undefined): string {
  const now = Date.now();
  return new Date(earlier === undefined ? now : Math.max(now, Date.parse(earlier) + 1)).toISOString();
}
