/**
 * The caller's current screen: the state of the innermost menu, the screen in its `meta`, and the page to which the
 * caller has turned. Only the pages are stored.
 */
import type { AnyActorRef } from "xstate";
import { fullScreen, render, type Reply } from "../screen/render.ts";
import type { ScreenLimit } from "../texts/characters.ts";
import { dictionaryOf, supportValue, type Language, type Message } from "../texts/dictionary.ts";
import type { ScreenSettings, StateMeta } from "./menu.ts";

export interface Position {
  /** The innermost menu. */
  readonly actor: AnyActorRef;
  /** Its name and its state's name. */
  readonly menu: string;
  readonly state: string;
  /** The path from the root down: `login.pinEntry`. */
  readonly path: string;
  readonly meta: StateMeta<never>;
  readonly context: unknown;
  readonly message: Message | undefined;
  /** An effect is running. */
  readonly pending: boolean;
  /** The effect is the oracle's, which has more time. */
  readonly oracle: boolean;
}

interface MenuSnapshot {
  readonly value: string;
  readonly machine: { readonly id: string };
  readonly context: { readonly message?: Message };
  readonly children: Readonly<Record<string, AnyActorRef | undefined>>;
  getMeta(): Readonly<Record<string, StateMeta<never> | undefined>>;
  hasTag(tag: string): boolean;
}

/** A menu that waits for its effect has the effect as a child, which is not a menu. */
function menuSnapshot(actor: AnyActorRef): MenuSnapshot | undefined {
  const snapshot: unknown = actor.getSnapshot();
  return typeof snapshot === "object" && snapshot !== null && "machine" in snapshot
    ? (snapshot as MenuSnapshot)
    : undefined;
}

export function positionIn(root: AnyActorRef): Position {
  const path: string[] = [];
  for (let actor = root; ;) {
    const snapshot = menuSnapshot(actor);
    if (snapshot === undefined) throw new Error("not a menu");
    path.push(snapshot.value);
    const inner = Object.values(snapshot.children).find((child) => child !== undefined && menuSnapshot(child));
    if (inner !== undefined) {
      actor = inner;
      continue;
    }
    const [meta] = Object.values(snapshot.getMeta());
    if (meta === undefined) throw new Error(`no screen for ${path.join(".")}`);
    return {
      actor,
      menu: snapshot.machine.id,
      state: snapshot.value,
      path: path.join("."),
      meta,
      context: snapshot.context,
      message: snapshot.context.message,
      pending: snapshot.hasTag("pending"),
      oracle: snapshot.hasTag("oracle"),
    };
  }
}

/** The page of each state that does not show its first page, by path. */
export type TurnedPages = Readonly<Record<string, number>>;

export interface ViewSettings {
  readonly screens: ScreenSettings;
  readonly limit: ScreenLimit;
}

export interface Shown extends Reply {
  readonly screen: string;
}

export type ScreenView = ReturnType<typeof createScreenView>;

export function createScreenView({ screens, limit }: ViewSettings, stored: TurnedPages) {
  let pages = stored;
  /** The last screen without a message: the next input is interpreted against what was shown. */
  let latest: { readonly of: readonly unknown[]; readonly shown: Shown } | undefined;

  return {
    get pages(): TurnedPages {
      return pages;
    },
    /** Includes the position's message, if it has one. */
    show({ path, meta, context, message }: Position, language: Language): Shown {
      const page = pages[path] ?? 1;
      const of = [meta, context, language, page];
      if (message === undefined && latest?.of.every((value, index) => value === of[index])) return latest.shown;
      const dictionary = dictionaryOf(language);
      // The context belongs to the menu whose state has this `meta`; only the menu knows its type.
      const screen = meta.screen(dictionary, context as never, screens);
      const values = { ...supportValue(dictionary, screens.supportPhone), ...message?.values };
      const view = { dictionary, limit, page, ...(message === undefined ? {} : { message: { ...message, values } }) };
      const shown = { ...render(screen, view), screen: screen.id };
      if (message === undefined) latest = { of, shown };
      return shown;
    },
    /** As the last reply of a session that accepts no more input. */
    showFull({ meta, context, message }: Position, language: Language): Shown {
      const dictionary = dictionaryOf(language);
      const screen = meta.screen(dictionary, context as never, screens);
      return { ...render(fullScreen(screen, message, dictionary), { dictionary, limit }), screen: screen.id };
    },
    turnTo(path: string, page: number): void {
      const { [path]: _, ...others } = pages;
      pages = page > 1 ? { ...others, [path]: page } : others;
    },
    /** The caller has moved. A state starts at its first page, unless the caller returns to it within its menu. */
    follow(before: Position, after: Position): void {
      if (before.path === after.path && before.actor === after.actor) return;
      const isSameMenu = before.actor === after.actor;
      const kept = Object.entries(pages).filter(
        ([path]) => isSameMenu && (path !== after.path || after.meta.keepsPage),
      );
      pages = Object.fromEntries(kept);
    },
  };
}

const MASK = "***";
const PERSONAL = new Set(["name", "customerId", "answer", "email"]);

/** A context without personal data and without the oracle's answers. */
export function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(
    ([name, member]) => [name, PERSONAL.has(name) ? MASK : masked(member)] as const,
  );
  return Object.fromEntries(members);
}
