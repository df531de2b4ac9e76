/**
 * The user's delegation as far as a turn may use it (contract/oracle.md sections 2.6, 2.7): the turn's own header
 * delegation before the stored one. A turn that needs one and finds none goes on, and says that it needs it.
 */
import { fail } from "../../../workers/platform/failure.ts";
import { success, type Result } from "../../../workers/platform/result.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { RunAuthority } from "../plugin.ts";
import type { Delegation } from "../rpc.ts";

export type Capability = Delegation["capabilities"][number];

/** Mints an invocation for the service at `origin` with the user's delegation as its proof. */
export type Mint = (origin: string, capability: Capability, delegation: Delegation) => Promise<Result<string>>;

export interface AuthorityParts {
  readonly active: ActiveRun;
  readonly readStored: () => Promise<Delegation | null>;
  /** Whether the prompt may be shown now; showing it too often is the vault's to prevent. */
  readonly mayPrompt: () => Promise<boolean>;
  readonly mint: Mint;
  /** Unix seconds. */
  readonly now: () => number;
}

export function createAuthority({ active, readStored, mayPrompt, mint, now }: AuthorityParts): RunAuthority {
  let prompted = false;
  const valid = (delegation: Delegation | null | undefined): delegation is Delegation =>
    delegation !== null &&
    delegation !== undefined &&
    (delegation.expiration === null || delegation.expiration > now());

  async function find(wanted: Capability): Promise<Delegation | undefined> {
    const { delegation } = active.request;
    if (valid(delegation) && covers(delegation, wanted)) return delegation;
    const stored = await readStored();
    return valid(stored) && covers(stored, wanted) ? stored : undefined;
  }

  async function require(wanted: Capability): Promise<Result<Delegation>> {
    const delegation = await find(wanted);
    if (delegation !== undefined) return success(delegation);
    active.requireDelegation();
    if (!prompted) {
      prompted = true;
      if (await mayPrompt()) active.notice(reauthorise);
    }
    return fail("forbidden", `The user has not permitted ${wanted.can} on ${wanted.with}`);
  }

  return {
    hasCapability: async (can, resource) => (await find({ can, with: resource })) !== undefined,
    async requireCapability(can, resource) {
      const found = await require({ can, with: resource });
      return found.ok ? success(null) : found;
    },
    async mintInvocation(origin, capability) {
      const found = await require(capability);
      return found.ok ? mint(origin, capability, found.value) : found;
    },
  };
}

function covers({ capabilities }: Delegation, wanted: Capability): boolean {
  return capabilities.some(({ can, with: resource }) => {
    const ability =
      can === "*" || can === wanted.can || (can.endsWith("/*") && wanted.can.startsWith(can.slice(0, -1)));
    const within = resource.endsWith("*") ? wanted.with.startsWith(resource.slice(0, -1)) : resource === wanted.with;
    return ability && within;
  });
}

const reauthorise = {
  message: "Please re-authorise this oracle to continue using connected services.",
  kind: "auth",
  source: "platform",
  retryable: true,
  detail: "delegation_required",
} as const;
