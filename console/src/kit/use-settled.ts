/** A text that the user types, after a pause: a request for it is sent once, instead of at each key. */
import { useEffect, useState } from "react";

/** Milliseconds without a key press. */
export const PAUSE = 250;
/** Milliseconds that answers for such a text are cached: caching every prefix longer would fill the memory. */
export const KEPT = 30_000;

export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
