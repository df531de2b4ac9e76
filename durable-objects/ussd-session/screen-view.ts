/**
 * What a caller has before them: the screen of the place where the machine is, and which page of it they have turned to
 * (contract/ussd.md section 6). What is stored of it is the pages.
 */
import { dictionaryOf, type Language } from "./i18n/languages.ts";
import type { Place } from "./machines/place.ts";
import type { ScreenSettings } from "./machines/step.ts";
import { fullScreen } from "./screens/full.ts";
import { render, type Reply } from "./screens/render.ts";
import type { ScreenId } from "./screens/screen.ts";
import type { ScreenLimit } from "./characters/septets.ts";

/** The page of each paged state, where it is not the first. */
export type TurnedPages = Readonly<Record<string, number>>;

export interface ViewSettings {
  readonly screens: ScreenSettings;
  readonly limit: ScreenLimit;
}

export interface Shown extends Reply {
  readonly screen: ScreenId;
}

export interface ScreenView {
  readonly pages: TurnedPages;
  /** With the notice of the place, if it has one. */
  show(place: Place, language: Language): Shown;
  /** As the last reply of a session that can take no more input. */
  showFull(place: Place, language: Language): Shown;
  turnTo(path: string, page: number): void;
  /** The machine has gone from one place to the other. */
  follow(before: Place, after: Place): void;
}

export function createScreenView({ screens, limit }: ViewSettings, stored: TurnedPages): ScreenView {
  let pages = stored;
  /** The last one without a notice: what was shown is what the next input is read against. */
  let latest: { readonly of: readonly unknown[]; readonly shown: Shown } | undefined;

  return {
    get pages() {
      return pages;
    },
    show({ path, step, context, notice }, language) {
      const page = pages[path] ?? 1;
      const of = [step, context, language, page];
      if (notice === undefined && latest?.of.every((part, index) => part === of[index])) return latest.shown;
      const dictionary = dictionaryOf(language);
      // A place goes with its own machine's context; only the machine knows its type.
      const screen = step.screen(dictionary, context as never, screens);
      const view = { dictionary, limit, page, ...(notice === undefined ? {} : { notice }) };
      const shown = { ...render(screen, view), screen: screen.id };
      if (notice === undefined) latest = { of, shown };
      return shown;
    },
    showFull({ step, context, notice }, language) {
      const dictionary = dictionaryOf(language);
      const screen = step.screen(dictionary, context as never, screens);
      return { ...render(fullScreen(screen, notice, dictionary), { dictionary, limit }), screen: screen.id };
    },
    turnTo(path, page) {
      const { [path]: _, ...others } = pages;
      pages = page > 1 ? { ...others, [path]: page } : others;
    },
    /** A state that is entered begins at its first page, unless it is come back to within the same machine. */
    follow(before, after) {
      if (before.path === after.path && before.actor === after.actor) return;
      const isSamePart = before.actor === after.actor;
      const kept = Object.entries(pages).filter(
        ([path]) => isSamePart && (path !== after.path || after.step.keepsPage),
      );
      pages = Object.fromEntries(kept);
    },
  };
}
