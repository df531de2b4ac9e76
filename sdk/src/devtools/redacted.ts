/**
 * What the devtools keep of an entry's detail: text of a bounded length without anything that signs a user in. Those who write entries
 * leave tokens out already; this is for what an application writes itself.
 */

/** Characters of JSON: enough for what a person reads, little enough for hundreds of entries. */
export const MAX_DETAIL_LENGTH = 4096;
/** Characters without a break; tokens are longer than a thousand, ids and words shorter. */
export const MAX_UNBROKEN_LENGTH = 120;

const SECRET_NAME = /authorization|token|invocation|delegation|secret|password|cookie|credential|^key$|^k$/i;
const UNBROKEN = new RegExp(String.raw`[\w+/=.~-]{${MAX_UNBROKEN_LENGTH},}`, "g");
const LEFT_OUT = "[left out]";

/** Never throws: what cannot be written as JSON is named so. */
export function redacted(detail: unknown): string {
  if (detail === undefined) return "";
  try {
    const text = JSON.stringify(
      detail,
      (name, value: unknown) => {
        if (SECRET_NAME.test(name) && value !== null && typeof value !== "boolean" && typeof value !== "number")
          return LEFT_OUT;
        return typeof value === "string" ? withoutUnbroken(value) : value;
      },
      2,
    );
    return text.length > MAX_DETAIL_LENGTH ? `${text.slice(0, MAX_DETAIL_LENGTH)}…` : text;
  } catch {
    return "[cannot be shown]";
  }
}

/** Names may be a request's path, which is the caller's text too. */
export function withoutUnbroken(text: string): string {
  return text.replaceAll(UNBROKEN, LEFT_OUT);
}
