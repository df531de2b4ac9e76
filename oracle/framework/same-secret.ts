/** Comparison of secrets whose duration does not tell where, or in length, two of them differ. */
import { equalTexts } from "../../platform/digest.ts";

/** Whether a request gave the secret that the configuration holds. One that is empty or missing is never the same. */
export async function sameSecret(given: string | null | undefined, expected: string | undefined): Promise<boolean> {
  const isSame = await equalTexts(given ?? "", expected ?? "");
  return isSame && expected !== undefined && expected !== "";
}
