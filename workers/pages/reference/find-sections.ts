/** The search of the documentation. It runs in the browser: served as `/docs/find-sections.js`, with types removed. */

/** A part of a page under one heading, or one rule. */
export interface SearchedSection {
  readonly page: string;
  /** Empty for the beginning of the page. */
  readonly heading: string;
  readonly address: string;
  readonly text: string;
}

interface FoundSection {
  readonly title: string;
  readonly address: string;
  /** The text around the first match. */
  readonly excerpt: string;
}

const SHOWN = 20;
/** Characters before and after the match. */
const EXCERPT = { before: 40, after: 100 };

/** The sections that contain every word of the query; those with a word in their title first. */
export function findSections(sections: readonly SearchedSection[], query: string): readonly FoundSection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, SHOWN)
    .map(({ section }) => found(section, words[0] ?? ""));
}

const SCORES = { exactHeading: 8, heading: 4, page: 2, text: 1 };

/** 0 if a word is missing. */
function scoreOf({ page, heading, text }: SearchedSection, words: readonly string[]): number {
  const places = [
    [heading.toLowerCase(), SCORES.heading],
    [page.toLowerCase(), SCORES.page],
    [text.toLowerCase(), SCORES.text],
  ] as const;
  const scores = words.map((word) =>
    places.reduce((score, [place, worth]) => score + (place.includes(word) ? worth : 0), 0),
  );
  const exact = heading.toLowerCase() === words.join(" ") ? SCORES.exactHeading : 0;
  return scores.includes(0) ? 0 : exact + scores.reduce((sum, score) => sum + score, 0);
}

function found({ page, heading, address, text }: SearchedSection, word: string): FoundSection {
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  const start = Math.max(0, at - EXCERPT.before);
  const end = Math.min(text.length, at + EXCERPT.after);
  const excerpt = `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
  return { title: heading === "" ? page : `${page}: ${heading}`, address, excerpt };
}
