/** Which methods a deployment refuses with 501, whatever the nodes behind it can do (contract D, section 6). */
import type { BoundMethod } from "../transcoding/http-rule.ts";

/** They write, or work as if one wrote; the last costs a node much. */
const builtIn: readonly string[] = [
  ...["BroadcastTx", "Simulate", "TxEncode", "TxDecode", "TxEncodeAmino", "TxDecodeAmino"].map(
    (name) => `cosmos.tx.v1beta1.Service/${name}`,
  ),
  "ibc.core.client.v1.Query/VerifyMembership",
];

/** Entries are `package.Service/Method`, or a start of one and `*`. `enabled` takes entries out of the built-in list. */
export function disabledMethods(
  disabled: readonly string[],
  enabled: readonly string[],
): (method: BoundMethod) => boolean {
  const entries = [...builtIn.filter((path) => !enabled.some((entry) => covers(entry, path))), ...disabled];
  return ({ path }) => entries.some((entry) => covers(entry, path));
}

export function covers(entry: string, path: string): boolean {
  return entry.endsWith("*") ? path.startsWith(entry.slice(0, -1)) : path === entry;
}
