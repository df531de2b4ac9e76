/** Settings of the process that holds workerd. */
import type { Bundles } from "./bundles.ts";

export const workers = ["oracle", "bare", "authored", "withPlugins", "withCredits", "withoutPlugins"] as const;

export type Ports = Readonly<Record<(typeof workers)[number], number>>;

export interface RuntimeSettings {
  readonly bundles: Bundles;
  readonly ports: Ports;
  /** Where Durable Objects and D1 are stored on disk. */
  readonly stateFolder: string;
  /** The folder of the D1 migrations; undefined if the storage was used before. */
  readonly migrations: string | undefined;
  readonly adminToken: string;
  /** The database of the oracle and of the bare Worker instead of D1, as an URL with the password. */
  readonly postgres: string | undefined;
  /** Additional variables of the Worker. */
  readonly variables: Readonly<Record<string, string>>;
  /** Variables that turn plugins on, for the oracles that have them. */
  readonly plugins: Readonly<Record<string, string>>;
}
