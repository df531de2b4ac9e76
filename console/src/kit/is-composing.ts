/** Whether a key press belongs to an input method, as of Chinese or Amharic: then Enter takes the suggestion and does nothing else. */
import type { KeyboardEvent } from "react";

/** What every browser says of a key that an input method has handled. Safari's last Enter has no other sign of it. */
const HANDLED = 229;

export function isComposing({ nativeEvent }: Pick<KeyboardEvent, "nativeEvent">): boolean {
  // oxlint-disable-next-line typescript/no-deprecated -- the only sign in Safari
  return nativeEvent.isComposing || nativeEvent.keyCode === HANDLED;
}
