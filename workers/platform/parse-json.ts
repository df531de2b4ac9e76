/** Parses JSON into a value instead of throwing. */
import { jsonFault } from "./json-fault.ts";
import { failure, success, type Result } from "./result.ts";

/** The error says where the text stops being JSON, and holds nothing of the text itself. */
export function parseJson(text: string): Result<unknown, string> {
  try {
    return success(JSON.parse(text) as unknown);
  } catch {
    return failure(jsonFault(text) ?? "not JSON");
  }
}
