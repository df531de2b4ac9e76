/** Values that every programme has without declaring them, with their greatest width. */
import { NAME_WIDTH } from "../screen/screen.ts";

export const BUILT_IN_WIDTHS: ReadonlyMap<string, number> = new Map([
  ["app", 20],
  ["support", 24],
  ["name", NAME_WIDTH],
  ["customerId", 20],
  ["today", 10],
]);

/** Known only while the caller is logged in. */
export const LOGIN_VALUES: ReadonlySet<string> = new Set(["name", "customerId"]);
/** Known only if the operator has configured it. */
export const OPTIONAL_VALUES: ReadonlySet<string> = new Set(["support"]);
