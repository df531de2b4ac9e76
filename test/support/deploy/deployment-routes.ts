/** Versions and deployments: upload without deploying, shares of traffic, rollback. */
import * as z from "zod";
import { deployedVersion, type StoredWorker, type Version } from "./account.ts";
import { refuse, workerNotFound, type Answer } from "./answers.ts";
import type { Call, Route } from "./routes.ts";
import { readUpload } from "./upload.ts";
import { addDeployment, storeVersion } from "./version-store.ts";

const SCRIPT = "/workers/scripts/:name";
const STARTUP_MS = 20;
const author = { author_email: "operator@example.org", author_id: "operator", source: "wrangler" };
const request = z.looseObject({
  versions: z
    .array(z.object({ version_id: z.string(), percentage: z.number() }))
    .min(1)
    .max(2),
  annotations: z.looseObject({ "workers/message": z.string().optional() }).optional(),
});

export const deploymentRoutes: readonly Route[] = [
  [
    "POST",
    `${SCRIPT}/versions`,
    async (call) => {
      const worker = call.account.workers.get(call.at("name"));
      if (worker === undefined) return workerNotFound;
      const upload = await readUpload(call.request);
      if (upload.metadata.migrations !== undefined)
        return refuse(400, 10_211, "A version with a Durable Object migration cannot be uploaded; deploy it.");
      const version = storeVersion(call.account, worker, upload);
      return "refused" in version ? version : { result: { ...described(version), startup_time_ms: STARTUP_MS } };
    },
  ],
  [
    "GET",
    `${SCRIPT}/versions`,
    (call) => withWorker(call, ({ versions }) => ({ result: { items: versions.toReversed().map(described) } })),
  ],
  [
    "GET",
    `${SCRIPT}/versions/:version`,
    (call) =>
      withWorker(call, ({ versions }) => {
        const version = versions.find(({ id }) => id === call.at("version"));
        return version === undefined ? noSuchVersion : { result: described(version) };
      }),
  ],
  [
    "GET",
    `${SCRIPT}/deployments`,
    (call) =>
      withWorker(call, ({ deployments }) => ({
        result: {
          deployments: deployments.toReversed().map(({ id, createdOn, message, versions }) => ({
            id,
            ...author,
            created_on: createdOn,
            strategy: "percentage",
            versions,
            annotations: { "workers/message": message },
          })),
        },
      })),
  ],
  [
    "POST",
    `${SCRIPT}/deployments`,
    async (call) => {
      const { versions, annotations } = request.parse(await call.request.json());
      return withWorker(call, (worker) => {
        const chosen = worker.versions.filter(({ id }) => versions.some(({ version_id: wanted }) => wanted === id));
        if (chosen.length !== versions.length) return noSuchVersion;
        if (versions.reduce((sum, { percentage }) => sum + percentage, 0) !== 100)
          return refuse(400, 10_021, "The percentages of a deployment must add up to 100.");
        if (chosen.some(({ migrationTag }) => migrationTag !== worker.migrationTag))
          return refuse(400, 10_211, "A version before a Durable Object migration cannot be deployed.");
        if (call.query.get("force") !== "true" && chosen.some((version) => hasOtherSecrets(worker, version)))
          return refuse(400, 10_220, "The secrets of the Worker have changed since this version.");
        addDeployment(worker, versions, annotations?.["workers/message"]);
        return { result: { id: worker.deployments.at(-1)?.id } };
      });
    },
  ],
];

const noSuchVersion = refuse(404, 10_021, "The version could not be found.");

function withWorker({ account, at }: Call, answer: (worker: StoredWorker) => Answer): Answer {
  const worker = account.workers.get(at("name"));
  return worker === undefined ? workerNotFound : answer(worker);
}

function hasOtherSecrets(worker: StoredWorker, { secrets }: Version): boolean {
  const current = deployedVersion(worker)?.secrets ?? new Map<string, string>();
  return current.size !== secrets.size || [...current].some(([name, value]) => secrets.get(name) !== value);
}

function described({ id, number, createdOn, message, metadata, secrets }: Version): object {
  const plain = metadata.bindings.map(({ name, type }) => ({ name, type }));
  return {
    id,
    number,
    metadata: { ...author, created_on: createdOn, modified_on: createdOn, has_preview: false },
    annotations: { "workers/message": message },
    resources: {
      bindings: [...plain, ...[...secrets.keys()].map((name) => ({ name, type: "secret_text" }))],
      script: { etag: id, handlers: ["fetch", "scheduled"], last_deployed_from: "wrangler" },
      script_runtime: {
        compatibility_date: metadata.compatibility_date,
        compatibility_flags: metadata.compatibility_flags,
        usage_model: "standard",
        limits: {},
      },
    },
  };
}
