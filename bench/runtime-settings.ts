/** What the process that holds workerd is started with. */
import type { Bundles } from "./bundles.ts";

export const workers = ["oracle", "bare", "authored", "withPlugins", "withCredits", "withoutPlugins"] as const;

export type Ports = Readonly<Record<(typeof workers)[number], number>>;

export interface RuntimeSettings {
  readonly bundles: Bundles;
  readonly ports: Ports;
  /** Where Durable Objects and D1 are kept, on disk. */
  readonly stateFolder: string;
  /** The folder of the D1 migrations; undefined when the storage has been used before. */
  readonly migrations: string | undefined;
  readonly adminToken: string;
  /** More of the Worker's. */
  readonly variables: Readonly<Record<string, string>>;
  /** What turns plugins on, for the oracles that have them. */
  readonly plugins: Readonly<Record<string, string>>;
}
