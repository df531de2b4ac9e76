/** What each plugin has of the oracle as a whole, in every hook: its storage in one object of its own, and its sealing. */
import { oracleSeed } from "../../platform/auth/oracle-signer.ts";
import { ORACLE_STORE } from "../../platform/object-names.ts";
import { readOracleConfig } from "./config.ts";
import type { PluginContext } from "../../oracle/framework/context.ts";
import { createPluginKv } from "../../oracle/framework/plugin-kv.ts";
import { createSealing } from "../../oracle/framework/sealed-texts.ts";
import { userVault } from "./objects.ts";

export type OracleParts = Pick<PluginContext, "oracleKv" | "sealing">;

/** By the name of the plugin. Nothing is read before a hook asks for it. */
export function createOracleParts(env: Env): (plugin: string) => OracleParts {
  async function seed(): Promise<Uint8Array | undefined> {
    const config = readOracleConfig(env);
    if (!config.ok) throw new Error("The oracle is not configured correctly; the log says what is wrong");
    return oracleSeed(config.value.ORACLE_SIGNING_SEED, config.value.ORACLE_MNEMONIC);
  }

  const known = new Map<string, OracleParts>();
  return (plugin) => {
    const parts = known.get(plugin) ?? {
      oracleKv: createPluginKv(() => userVault(env, ORACLE_STORE), plugin),
      sealing: createSealing(seed, plugin),
    };
    known.set(plugin, parts);
    return parts;
  };
}
