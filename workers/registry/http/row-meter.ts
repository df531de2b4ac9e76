/**
 * The row meter of one request: limits the rows that the database reads for its caller, and for all callers together.
 */
import { clientNetworks, readProxyTrust } from "../../../platform/http/client-address.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { Caller } from "../caller.ts";
import type { RegistryContext } from "../context.ts";
import { createRowMeter, readSmallPage, type RowMeter } from "../lists/row-budget.ts";
import { scanGateOf } from "../lists/scan-gate.ts";
import { RefusedQuery } from "../store/refused-query.ts";

export function rowMeterOf(c: RegistryContext): RowMeter {
  const { config, database, rowCosts, deployment } = c.var.runtime;
  const caller = c.var.caller as Caller | undefined;
  const gate = scanGateOf(database);
  if (caller === undefined) {
    const networks = clientNetworks(c.req.raw, readProxyTrust(c.env.env)).filter((each) => each !== undefined);
    const limit = config.REGISTRY_GRAPHQL_PUBLIC_ROW_COST;
    return createRowMeter({ kind: "public", limit, caller: rowCosts.of("public", networks), deployment, gate });
  }
  const own = [{ name: caller.keyId, share: 1 }];
  const limit = config.REGISTRY_GRAPHQL_KEY_ROW_COST;
  return createRowMeter({ kind: "key", limit, caller: rowCosts.of("key", own), deployment, gate });
}

/** Runs a read with a meter; a refusal by the meter becomes a failure. */
export async function metered<Value>(
  c: RegistryContext,
  read: (meter: RowMeter) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const meter = rowMeterOf(c);
  const outcome = await orRefused(() => read(meter).finally(() => c.executionCtx.waitUntil(meter.close())));
  return outcome.ok ? outcome.value : outcome;
}

/** A page of a small list, which reads at most `rows`. */
export function meteredPage<Value>(
  c: RegistryContext,
  rows: number,
  read: () => Promise<Value>,
): Promise<Result<Value>> {
  return metered(c, async (meter) => success(await readSmallPage(meter, rows, read)));
}

/** A read whose meter is closed by its caller. */
export async function orRefused<Value>(read: () => Promise<Value>): Promise<Result<Value>> {
  try {
    return success(await read());
  } catch (thrown) {
    if (thrown instanceof RefusedQuery) return failure(thrown.failure);
    throw thrown;
  }
}
