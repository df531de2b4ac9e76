/** The user's delegation, as far as a request or a turn may use it: the one that it brought, else the stored one. */
import type { RunAuthority } from "../framework/context.ts";
import { fail } from "../../platform/failure.ts";
import { type Result, success } from "../../platform/result.ts";
import type { Delegation } from "../framework/delegation.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { Capability, Mint, VerifyInvocation } from "../settings.ts";

export interface AuthorityOptions {
  readonly active: Pick<ActiveRun, "notice" | "requireDelegation">;
  /** The delegation of the request's own header. */
  readonly given: Delegation | undefined;
  readonly readStored: () => Promise<Delegation | null>;
  /** Whether the user has revoked that token, as base64, since the request. The stored one is erased then. */
  readonly isRevoked: (token: string) => Promise<boolean>;
  /** Whether the prompt may be shown now. */
  readonly mayPrompt: () => Promise<boolean>;
  readonly mint: Mint;
  readonly verify: VerifyInvocation;
  /** Unix seconds. */
  readonly now: () => number;
}

export function createAuthority(options: AuthorityOptions): RunAuthority {
  const { active, given, readStored, isRevoked, mayPrompt, mint, verify, now } = options;
  let prompted = false;
  const valid = (delegation: Delegation | null | undefined): delegation is Delegation =>
    delegation !== null &&
    delegation !== undefined &&
    (delegation.expiration === null || delegation.expiration > now());

  async function find(wanted: Capability): Promise<Delegation | undefined> {
    if (valid(given) && covers(given, wanted) && !(await isRevoked(given.token))) return given;
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
    verifyInvocation: verify,
    async delegation() {
      if (valid(given) && !(await isRevoked(given.token))) return given;
      const stored = await readStored();
      return valid(stored) ? stored : undefined;
    },
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
