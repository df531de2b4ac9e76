/** An operator's optional orders with a batch: claims that are paid, dead letters to retry, credits to grant. */
import * as z from "zod";
import { CLAIM_ID, creditAmount, GRANT_KEY_LENGTH, microOf, payerDid } from "../../../protocol/credits.ts";
import { admit, refuse, type Refusal, type RequestAdmission } from "../../framework/admission.ts";
import { readLimited } from "../../framework/guarded-fetch.ts";
import { parseJson } from "../../../platform/json.ts";
import type { Logger } from "../../../platform/log.ts";
import { success } from "../../../platform/result.ts";

/** Maximum number of ids in a list. */
const LISTED_IDS = 100;
/** Maximum bytes of the body: two full lists with some margin. */
const BODY_BYTES = 16 * 1024;

const ids = z.array(z.string().regex(CLAIM_ID, { error: "must be the id of a claim" })).max(LISTED_IDS);

const orders = z.object({
  settled: ids.optional(),
  retry: ids.optional(),
  credits: z.object({ did: payerDid, amount: creditAmount, key: z.string().min(1).max(GRANT_KEY_LENGTH) }).optional(),
});
export type Orders = z.output<typeof orders>;

/** An empty body has no orders. */
export async function readOrders(request: Request): Promise<{ readonly ok: true; readonly value: Orders } | Refusal> {
  const bytes = await readLimited(request, BODY_BYTES);
  if (!bytes.ok)
    return bytes.error === "too_large"
      ? refuse("too_large", "Request body too large")
      : refuse("invalid_request", "The request body was cut off");
  const text = new TextDecoder().decode(bytes.value);
  if (text.trim() === "") return success({});
  const parsed = parseJson(text);
  if (!parsed.ok) return refuse("invalid_request", `Request body is not valid JSON: ${parsed.error}`);
  const read = orders.safeParse(parsed.value);
  if (read.success) return success(read.data);
  return refuse(
    "invalid_request",
    read.error.issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`).join("; "),
  );
}

/** Once per key: a caller whose response was lost repeats the call. */
export async function grantCredits(
  env: Env,
  { did, amount, key }: NonNullable<Orders["credits"]>,
  isRemote: boolean,
  log: Logger,
): Promise<RequestAdmission> {
  if (isRemote) return refuse("conflict", "The subscription service keeps the credits: grant them there");
  const answer = await env.CREDIT_LEDGER.getByName(did).grant(key, microOf(amount));
  if (answer.granted) {
    log.info("credits-granted", { did, amount, repeated: answer.repeated });
    return admit();
  }
  return answer.reason === "conflict"
    ? refuse("conflict", "A different amount was granted with this key")
    : refuse("unprocessable", "An account cannot hold that many credits");
}
