/**
 * Renders a screen as a reply: puts a message above the page and `98. More`, `0. Back`, `*. Exit` below, and never cuts
 * an option. Page breaks do not depend on the message, so a page number has one meaning across requests.
 */
import type { PhoneReply } from "../../../platform/phone-reply.ts";
import { ucs2Limit } from "../../../shared/gsm7.ts";
import { BACK_KEY, EXIT_KEY, MORE_KEY } from "../input/typed-input.ts";
import { fits, isGsm7, type ScreenLimit } from "../texts/characters.ts";
import { fill, type Dictionary, type Message } from "../texts/dictionary.ts";
import { line, numberedKeys, optionText, paginate, type Block, type Page, type Screen } from "./screen.ts";

/** Septets of the longest short message, placeholders filled. Every screen has room for one. */
export const SHORT_MESSAGE_SEPTETS = 18;
const RESERVE = `${"x".repeat(SHORT_MESSAGE_SEPTETS)}\n`;
/** UTF-16 units below which a list outside the GSM alphabet gets the whole room. */
const MIN_UCS2_ROOM = 16;

export interface View {
  readonly dictionary: Dictionary;
  readonly limit: ScreenLimit;
  /** From 1; a number beyond the last page shows the last page. */
  readonly page?: number;
  readonly message?: Message;
}

export interface Reply extends PhoneReply {
  readonly page: number;
  readonly pages: number;
  /** Every printed key, including `98`, `0` and `*`. */
  readonly keys: readonly string[];
  /** A screen that should have been one page was not, or had no room for its message: counted as `screen_overflow`. */
  readonly overflow: boolean;
}

export function render(screen: Screen, view: View): Reply {
  if (screen.end) return closing(screen, view);
  const choices = pagesOf(screen, view);
  const page = Math.min(Math.max(view.page ?? 1, 1), choices.length);
  const variants = choices[page - 1] ?? [{ text: "", keys: [] }];
  const position = { first: page === 1, last: page === choices.length };
  const shown = composed(variants, position, screen, view);
  const isLong = choices.length > 1 && !isList(screen) && !screen.blocks.some(({ kind }) => kind === "prose");
  return { kind: "CON", ...shown, page, pages: choices.length, overflow: shown.overflow || isLong };
}

/** Each page in all its forms: a screen of one page may have a compact form too. */
function pagesOf(screen: Screen, view: View): readonly (readonly Page[])[] {
  const fitsPage = (text: string, position: Position): boolean =>
    text.length < view.limit.septets &&
    fits(
      reserveFor(text, screen, view.limit) + framed(text, position, screen, view.dictionary, false).body,
      view.limit,
    );
  const layout = {
    fits: fitsPage,
    cutMark: view.dictionary.texts.cutMark,
    ...(screen.title === undefined ? {} : { title: screen.title }),
    ...(screen.maxPages === undefined ? {} : { maxPages: screen.maxPages }),
  };
  const full = paginate(screen.blocks, layout);
  const compact = screen.compact === undefined ? [] : paginate(screen.compact, layout);
  const single = [full, compact].flatMap((pages) => (pages.length === 1 ? pages : []));
  return single.length > 0 ? [single] : full.map((page) => [page]);
}

/**
 * Room that pages reserve for a message. Outside the GSM alphabet there is little room, so there a message may replace
 * prose.
 */
function reserveFor(text: string, screen: Screen, limit: ScreenLimit): string {
  if (isGsm7(text)) return RESERVE;
  const roomy = ucs2Limit(limit.septets) - RESERVE.length - FRAME_UNITS >= MIN_UCS2_ROOM;
  return isList(screen) && roomy ? RESERVE : "";
}
/** The prefix, `98. More` and `0. Back` with their line feeds, in the widest language. */
const FRAME_UNITS = 24;

function isList(screen: Screen): boolean {
  return screen.blocks.every(({ kind }) => kind === "option");
}

interface Position {
  readonly first: boolean;
  readonly last: boolean;
}

interface Framed {
  readonly body: string;
  readonly keys: readonly string[];
}

/** The text followed by the keys of the response layer. */
function framed(text: string, { first, last }: Position, screen: Screen, { texts }: Dictionary, exit: boolean): Framed {
  const keys = [
    ...(last ? [] : [{ key: MORE_KEY, label: texts.more }]),
    // A page after the first can always go back.
    ...(screen.back || !first ? [{ key: BACK_KEY, label: texts.back }] : []),
    ...(exit || (screen.exit === "always" && first) ? [{ key: EXIT_KEY, label: texts.exit }] : []),
  ];
  const lines = keys.map(({ key, label }) => optionText({ kind: "option", key, label }));
  return { body: [...(text === "" ? [] : [text]), ...lines].join("\n"), keys: keys.map(({ key }) => key) };
}

type Shown = Pick<Reply, "body" | "keys" | "overflow">;

/**
 * The best form that fits: the long message before the short one, the full form before the compact one, exit if there
 * is room.
 */
function composed(variants: readonly Page[], position: Position, screen: Screen, view: View): Shown {
  const { message, dictionary, limit } = view;
  const headings = message === undefined ? [""] : headingsOf(message, screen, dictionary);
  const exits = screen.exit === "where-it-fits" ? [true, false] : [false];
  const without = variants.map(({ keys }) => optionsOnly(screen, keys));
  for (const pages of message === undefined ? [variants] : [variants, without]) {
    for (const heading of headings) {
      for (const { text, keys } of pages) {
        for (const exit of exits) {
          const { body, keys: added } = framed(text, position, screen, dictionary, exit);
          if (fits(heading + body, limit)) return { body: heading + body, keys: [...keys, ...added], overflow: false };
        }
      }
    }
  }
  const [page = { text: "", keys: [] }] = variants;
  const { body, keys: added } = framed(page.text, position, screen, dictionary, false);
  return { body, keys: [...page.keys, ...added], overflow: true };
}

/** A page reduced to its options, if the text above them must make room for the message. */
function optionsOnly(screen: Screen, keys: readonly string[]): Page {
  const lines = screen.blocks.flatMap((block) =>
    block.kind === "option" && keys.includes(block.key) ? [optionText(block)] : [],
  );
  return { text: lines.join("\n"), keys };
}

/** The long form with an empty line after it, and the short form. */
function headingsOf({ key, values }: Message, screen: Screen, dictionary: Dictionary): readonly string[] {
  const { long, short } = dictionary.messages[key];
  // A screen without options has only the way back.
  const offered = numberedKeys(screen);
  const known = { choices: choicesOf(offered.length === 0 ? [BACK_KEY] : offered, dictionary), ...values };
  return [`${fill(long, known)}\n\n`, `${fill(short, known)}\n`];
}

/** `1`, `1 or 2`, `1-5`, `1, 2 or 9`. */
export function choicesOf(keys: readonly string[], { texts }: Dictionary): string {
  const [first = "1"] = keys;
  const last = keys.at(-1) ?? first;
  if (keys.length <= 1) return first;
  if (keys.length > 2 && Number(last) - Number(first) === keys.length - 1) return `${first}-${last}`;
  return `${keys.slice(0, -1).join(", ")} ${texts.or} ${last}`;
}

/**
 * The last reply of a session that accepts no more input because the accumulated text has reached its limit: it says
 * that, asks to dial again, and shows what the caller was about to read. Text that can be cut comes last.
 */
export function fullScreen(
  { id, blocks, informs, vital }: Screen,
  message: Message | undefined,
  dictionary: Dictionary,
): Screen {
  const full = line(dictionary.texts.sessionFull);
  const heading = message === undefined ? [] : [line(fill(dictionary.messages[message.key].short, message.values))];
  const read = informs === true ? blocks.filter(({ kind }) => kind !== "option") : [];
  const all = vital === undefined ? [...heading, full, ...read] : [vital, full];
  return { id, end: true, blocks: all, back: false, exit: "never" };
}

/** An END is one page: prose is cut so that the screen fits. */
function closing(screen: Screen, { limit }: View): Reply {
  const prose = screen.blocks.map((block): Block => (block.kind === "line" ? { ...block, kind: "prose" } : block));
  const [page] = paginate(prose, { fits: (text) => fits(text, limit), maxPages: 1 });
  return { kind: "END", body: page?.text ?? "", page: 1, pages: 1, keys: [], overflow: false };
}
