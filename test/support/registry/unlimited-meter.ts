/** A row meter without limits, for tests of what lists answer. */
import { createRowMeter, type RowMeter } from "../../../workers/registry/lists/row-budget.ts";
import { createScanGate } from "../../../workers/registry/lists/scan-gate.ts";

export function freeMeter(): RowMeter {
  return createRowMeter({
    limit: Infinity,
    kind: "key",
    caller: { wait: () => 0, charge: () => undefined, note: () => undefined, last: 0 },
    deployment: { spend: () => undefined, reserve: async () => 0, refund: async () => undefined },
    gate: createScanGate(),
  });
}
