/** Workers: upload with deployment, settings, secrets, schedules, address, deletion. */
import * as z from "zod";
import { newWorker, type StoredWorker } from "./account.ts";
import { isCompletion } from "./asset-routes.ts";
import { refuse, serviceNotFound, workerNotFound, type Answer, type Refusal } from "./answers.ts";
import type { Call, Route } from "./routes.ts";
import { readUpload } from "./upload.ts";
import { deployAll, storeVersion, withSecrets } from "./version-store.ts";

const SCRIPT = "/workers/scripts/:name";
const STARTUP_MS = 20;
const secret = z.object({ name: z.string(), text: z.string().min(1), type: z.literal("secret_text") });
const secrets = z.object({ secrets: z.record(z.string(), secret.nullable()) });
const subdomain = z.looseObject({ enabled: z.boolean().optional() });
const settings = z.looseObject({ tags: z.array(z.string()).nullish() });

export const workerRoutes: readonly Route[] = [
  [
    "GET",
    "/workers/services/:name",
    ({ account, at }) => {
      const worker = account.workers.get(at("name"));
      if (worker === undefined) return serviceNotFound;
      const script = {
        id: at("name"),
        tag: at("name"),
        tags: worker.tags,
        last_deployed_from: "wrangler",
        ...(worker.migrationTag === undefined ? {} : { migration_tag: worker.migrationTag }),
      };
      return { result: { id: at("name"), default_environment: { environment: "production", script } } };
    },
  ],
  [
    "DELETE",
    "/workers/services/:name",
    ({ account, at }) => (account.workers.delete(at("name")) ? { result: null } : serviceNotFound),
  ],
  ["GET", SCRIPT, (call) => withWorker(call, () => ({ result: { id: call.at("name") } }))],
  ["PUT", SCRIPT, deploy],
  [
    "GET",
    `${SCRIPT}/settings`,
    (call) =>
      withWorker(call, ({ versions, migrationTag, tags }) => ({
        result: { bindings: versions.at(-1)?.metadata.bindings ?? [], migration_tag: migrationTag, tags },
      })),
  ],
  [
    "PATCH",
    `${SCRIPT}/script-settings`,
    async (call) => {
      const { tags } = settings.parse(await call.request.json());
      return withWorker(call, (worker) => {
        worker.tags = tags ?? [];
        return { result: { tags: worker.tags } };
      });
    },
  ],
  [
    "GET",
    `${SCRIPT}/secrets`,
    (call) =>
      withWorker(call, ({ versions }) => ({
        result: [...(versions.at(-1)?.secrets.keys() ?? [])].map((name) => ({ name, type: "secret_text" })),
      })),
  ],
  [
    "PUT",
    `${SCRIPT}/secrets`,
    async (call) => {
      const parsed = secret.safeParse(await call.request.json());
      if (!parsed.success) return refuse(400, 10_021, "A secret needs a name and a value.");
      return setSecrets(call, new Map([[parsed.data.name, parsed.data.text]]));
    },
  ],
  [
    "PATCH",
    `${SCRIPT}/secrets-bulk`,
    async (call) => {
      const all = secrets.parse(await call.request.json());
      return setSecrets(call, new Map(Object.entries(all.secrets).map(([name, one]) => [name, one?.text ?? null])));
    },
  ],
  [
    "PUT",
    `${SCRIPT}/schedules`,
    async (call) => {
      const schedules = z.array(z.unknown()).parse(await call.request.json());
      return withWorker(call, (worker) => {
        worker.schedules = schedules;
        return { result: { schedules } };
      });
    },
  ],
  ["GET", `${SCRIPT}/subdomain`, (call) => withWorker(call, (worker) => ({ result: address(worker) }))],
  [
    "POST",
    `${SCRIPT}/subdomain`,
    async (call) => {
      const { enabled } = subdomain.parse(await call.request.json());
      return withWorker(call, (worker) => {
        worker.isOnWorkersDev = enabled ?? worker.isOnWorkersDev;
        return { result: address(worker) };
      });
    },
  ],
  ["GET", `${SCRIPT}/references`, (call) => withWorker(call, () => ({ result: {} }))],
  ["GET", "/workers/tails/by-consumer/:name", () => ({ result: [] })],
  ["GET", "/storage/kv/namespaces", () => ({ result: [] })],
  ["GET", "/workers/subdomain", () => ({ result: { subdomain: "operator" } })],
  [
    "GET",
    "/workers/workers/:name",
    (call) =>
      withWorker(call, (worker) => ({
        result: { id: call.at("name"), name: call.at("name"), subdomain: address(worker) },
      })),
  ],
];

async function deploy({ account, at, request }: Call): Promise<Answer> {
  const name = at("name");
  const worker = account.workers.get(name) ?? newWorker();
  const upload = await readUpload(request);
  const { assets } = upload.metadata;
  if (assets !== undefined && !isCompletion((assets as { jwt?: unknown }).jwt))
    return refuse(400, 10_021, "The assets of the upload are incomplete.");
  const version = storeVersion(account, worker, upload);
  if ("refused" in version) return version;
  deployAll(worker, version);
  account.workers.set(name, worker);
  const { id } = version;
  return { result: { id: name, tag: name, etag: id, deployment_id: id, startup_time_ms: STARTUP_MS } };
}

function setSecrets(call: Call, changes: ReadonlyMap<string, string | null>): Answer {
  return withWorker(call, (worker) => {
    const version = withSecrets(worker, changes);
    if ("refused" in version) return version;
    deployAll(worker, version);
    return { result: { name: [...changes.keys()].join(", "), type: "secret_text" } };
  });
}

function withWorker({ account, at }: Call, answer: (worker: StoredWorker) => Answer): Answer | Refusal {
  const worker = account.workers.get(at("name"));
  return worker === undefined ? workerNotFound : answer(worker);
}

function address({ isOnWorkersDev }: StoredWorker): object {
  return { enabled: isOnWorkersDev, previews_enabled: isOnWorkersDev };
}
