/** The state of one account: its Workers with their versions, databases and buckets. */
import type { D1Store } from "./d1-store.ts";
import type { UploadMetadata } from "./upload.ts";

export interface Version {
  readonly id: string;
  readonly number: number;
  readonly createdOn: string;
  readonly message: string | undefined;
  readonly metadata: UploadMetadata;
  /** By name, as uploaded. */
  readonly modules: ReadonlyMap<string, Uint8Array>;
  readonly secrets: ReadonlyMap<string, string>;
  /** The last migration of its Durable Object classes. */
  readonly migrationTag: string | undefined;
}

export interface Share {
  readonly version_id: string;
  readonly percentage: number;
}

interface Deployment {
  readonly id: string;
  readonly createdOn: string;
  readonly message: string | undefined;
  readonly versions: readonly Share[];
}

export interface StoredWorker {
  /** Oldest first. */
  readonly versions: Version[];
  /** Oldest first. */
  readonly deployments: Deployment[];
  /** The implemented Durable Object classes. */
  readonly classes: Set<string>;
  migrationTag: string | undefined;
  tags: readonly string[];
  schedules: readonly unknown[];
  isOnWorkersDev: boolean;
  /** By path, as the last upload session listed them. */
  assets: ReadonlyMap<string, string>;
}

export interface Account {
  readonly workers: Map<string, StoredWorker>;
  /** By id. */
  readonly databases: Map<string, D1Store>;
  readonly buckets: Set<string>;
  /** Uploaded assets by hash: their sizes. */
  readonly assets: Map<string, number>;
}

export function newAccount(): Account {
  return { workers: new Map(), databases: new Map(), buckets: new Set(), assets: new Map() };
}

export function newWorker(): StoredWorker {
  return {
    versions: [],
    deployments: [],
    classes: new Set(),
    migrationTag: undefined,
    tags: [],
    schedules: [],
    isOnWorkersDev: false,
    assets: new Map(),
  };
}

/** The version of all requests, or the newest share of a gradual deployment. */
export function deployedVersion({ versions, deployments }: StoredWorker): Version | undefined {
  const shares = deployments.at(-1)?.versions ?? [];
  return versions.findLast(({ id }) => shares.some(({ version_id: deployed }) => deployed === id));
}
