/** An operator's actions on accounts: requests, and their failures in words. */
import { ApiFailure, hasStatus } from "../../api/api-failure.ts";
import { api } from "../../api/api.ts";

const CUSTOMER = "/api/ussd/ops/customers/{customerId}";

export async function unlock(customerId: string): Promise<void> {
  await explained(api.POST(`${CUSTOMER}/unlock`, { params: { path: { customerId } }, body: {} }));
}

export interface TemporaryPin {
  readonly customerId: string;
  readonly temporaryPin: string;
  readonly expiresAt: string;
}

export async function resetPin(customerId: string): Promise<TemporaryPin> {
  return explained(api.POST(`${CUSTOMER}/reset-pin`, { params: { path: { customerId } }, body: {} }));
}

/** @param did null removes the link. */
export async function linkDid(customerId: string, did: string | null): Promise<void> {
  await explained(api.POST(`${CUSTOMER}/did`, { params: { path: { customerId } }, body: { did } }));
}

export interface RotationCounts {
  readonly examined: number;
  readonly resealed: number;
  readonly unreadable: number;
}

/** All batches, one after the other. */
export async function rotateKeys(onBatch: (counts: RotationCounts) => void): Promise<RotationCounts> {
  let counts: RotationCounts = { examined: 0, resealed: 0, unreadable: 0 };
  let after: number | null = 0;
  while (after !== null) {
    const batch: RotationCounts & { readonly next: number | null } = await explained(
      api.POST("/api/ussd/ops/pins/rotate", { body: { after } }),
    );
    counts = {
      examined: counts.examined + batch.examined,
      resealed: counts.resealed + batch.resealed,
      unreadable: counts.unreadable + batch.unreadable,
    };
    onBatch(counts);
    after = batch.next;
  }
  return counts;
}

/** The service's 404 only says "Not Found". */
async function explained<Data>(request: Promise<{ readonly data?: Data }>): Promise<Data> {
  try {
    const { data } = await request;
    // A response that is not ok is thrown.
    return data as Data;
  } catch (error) {
    if (!hasStatus(error, 404)) throw error;
    const { status, code, requestId } = error;
    throw new ApiFailure({
      status,
      code,
      requestId,
      message:
        "No customer has this ID, or these actions are off because the server has no phone operator's token (USSD_OPERATOR_TOKEN).",
    });
  }
}
