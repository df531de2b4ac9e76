/** A plugin that records the reports of `afterTurn`, and the related rows of a session. */
import type { EndedTurn } from "../../../oracle/framework/ended-turn.ts";
import type { PluginDefinition } from "../../../oracle/framework/plugin.ts";
import { plugin } from "./small-plugins.ts";
import type { SessionInNode } from "../oracle/session-in-node.ts";

/** `answer` decides about each call. */
export function reporting(
  parts: Partial<PluginDefinition> = {},
  answer: (calls: number) => Promise<void> | void = () => {},
) {
  const reports: EndedTurn[] = [];
  const owners: string[] = [];
  const ledger = plugin("ledger", {
    afterTurn(ended, { user }) {
      reports.push(ended);
      owners.push(user.did);
      return answer(reports.length);
    },
    ...parts,
  });
  return { reports, owners, ledger };
}

/** Tables with rows, except SQLite's own and the version. */
export function filled({ database }: SessionInNode): readonly string[] {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  return tables
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith("sqlite_") && name !== "schema_version")
    .filter((name) => database.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() !== undefined);
}
