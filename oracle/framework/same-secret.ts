/** Compares secrets in constant time, which reveals neither the position of a difference nor the length. */
import { equalTexts } from "../../platform/digest.ts";

/** Whether a request sent the configured secret. An empty or missing secret never matches. */
export async function sameSecret(given: string | null | undefined, expected: string | undefined): Promise<boolean> {
  const isSame = await equalTexts(given ?? "", expected ?? "");
  return isSame && expected !== undefined && expected !== "";
}
