/**
 * Translations by text, so that a text is translated once. Texts are ours, but those of filters differ by caller, and one can have
 * 100,000 characters; so the characters are bounded, and the oldest texts are forgotten.
 */
import { translate, type Translated } from "./translate.ts";

/** Characters of all texts that an isolate keeps; their translations take as many again. */
const KEPT_CHARACTERS = 4_000_000;
/** Characters that an entry counts in addition to its text. */
const ENTRY = 1_000;

export interface Translations {
  of(sql: string): Translated;
  /** Characters, with those of each entry. */
  readonly kept: number;
}

export function createTranslations(most = KEPT_CHARACTERS): Translations {
  const known = new Map<string, Translated>();
  let kept = 0;

  function forgetOldest(room: number): void {
    for (const text of known.keys()) {
      if (kept + room <= most) return;
      known.delete(text);
      kept -= sizeOf(text);
    }
  }

  return {
    of(sql) {
      const earlier = known.get(sql);
      if (earlier !== undefined) return earlier;
      const made = translate(sql);
      if (sizeOf(sql) > most) return made;
      forgetOldest(sizeOf(sql));
      known.set(sql, made);
      kept += sizeOf(sql);
      return made;
    },
    get kept() {
      return kept;
    },
  };
}

function sizeOf(text: string): number {
  return text.length + ENTRY;
}
