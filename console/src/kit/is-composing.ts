/** Whether a key press belongs to an input method, such as for Chinese or Amharic: then Enter only accepts the suggestion. */
import type { KeyboardEvent } from "react";

/** The key code for a key that an input method has handled. Safari's final Enter has no other sign of it. */
const HANDLED = 229;

export function isComposing({ nativeEvent }: Pick<KeyboardEvent, "nativeEvent">): boolean {
  // oxlint-disable-next-line typescript/no-deprecated -- the only sign in Safari
  return nativeEvent.isComposing || nativeEvent.keyCode === HANDLED;
}
