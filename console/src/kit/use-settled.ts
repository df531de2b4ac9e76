/** A text that somebody types, once they have paused: what is asked for it is asked once, and not for each key. */
import { useEffect, useState } from "react";

/** Milliseconds without a key press. */
export const PAUSE = 250;
/** Milliseconds that the answers of such a text are kept: longer ones for every prefix would fill the memory. */
export const KEPT = 30_000;

export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
