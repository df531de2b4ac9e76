/**
 * Names of the UserVault objects that hold the operator's budgets of turns and tokens. Users' vaults are named by DIDs,
 * so the names cannot meet.
 */

/** All turns of the oracle. */
export const BUDGET_OF_ALL = "budget:all";

/** The turns from one address, or from one network of IPv6: what `clientNetwork` says. */
export function budgetOfAddress(address: string): string {
  return `budget:address:${address}`;
}
