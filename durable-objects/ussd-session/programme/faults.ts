/** The faults of a menu file, as sentences that name the line, the screen, the language and the count where there is one. */
export interface FileFault {
  /** Of the file, from 1. */
  readonly line: number;
  readonly screen?: string;
  readonly language?: string;
  /** Septets, UTF-16 units, pages: what was counted. */
  readonly count?: number;
  readonly sentence: string;
}

/** `line 12: screen bags, fr: 174 of 160 septets`. */
export function faultLine({ line, screen, language, sentence }: FileFault): string {
  const place = [screen === undefined ? "" : `screen ${screen}`, language ?? ""].filter((each) => each !== "");
  return `line ${line}: ${place.length === 0 ? "" : `${place.join(", ")}: `}${sentence}`;
}

/** Faults that are listed; a file with more is wrong as a whole. */
export const MOST_FAULTS = 50;
