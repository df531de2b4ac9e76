/**
 * The raw query cut into names and values (contract D, section 3). Our own parser, because URLSearchParams takes `;` and
 * malformed escapes for data where every node refuses them. Never throws, whatever the text.
 */
import { success, type Result } from "../../../platform/result.ts";
import { invalidArgument, tooLong, type TranscodingFault } from "../fault.ts";

export interface QueryParameter {
  readonly name: string;
  readonly value: string;
}

/** Parameters in their order; `raw` is what stands behind the `?`, undecoded. */
export function parseQuery(raw: string, limit: number): Result<readonly QueryParameter[], TranscodingFault> {
  if (raw.includes(";")) return invalidArgument("The query holds a semicolon; parameters are parted by &");
  const parameters: QueryParameter[] = [];
  for (const part of raw.split("&")) {
    if (part === "") continue;
    if (parameters.length === limit) return tooLong(`The query has more than ${limit} parameters`);
    const equals = part.indexOf("=");
    const name = decodeText(equals === -1 ? part : part.slice(0, equals));
    const value = decodeText(equals === -1 ? "" : part.slice(equals + 1));
    if (name === undefined || value === undefined)
      return invalidArgument("The query holds an escape that is malformed or not UTF-8");
    parameters.push({ name, value });
  }
  return success(parameters);
}

function decodeText(raw: string): string | undefined {
  const spaced = raw.replaceAll("+", " ");
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}
