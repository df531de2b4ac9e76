/**
 * Names of the UserVault objects that hold the operator's budgets of turns and tokens. Users' vaults are named by DIDs,
 * so the names cannot meet.
 */

/** All turns of the oracle. */
export const BUDGET_OF_ALL = "budget:all";

/**
 * The turns from one client address. Of an IPv6 address its network of 64 bits counts: a client may change the rest at
 * will.
 */
export function budgetOfAddress(address: string): string {
  return `budget:address:${address.includes(":") ? `${networkOf(address)}::/64` : address}`;
}

function networkOf(address: string): string {
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":");
}
