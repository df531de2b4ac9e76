/** Parses JSON into a value instead of throwing. */
import { failure, success, type Result } from "./result.ts";

export function parseJson(text: string): Result<unknown, string> {
  try {
    return success(JSON.parse(text) as unknown);
  } catch (error) {
    return failure(error instanceof Error ? error.message : "not JSON");
  }
}
