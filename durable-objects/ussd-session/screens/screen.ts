/**
 * What a screen is before it is laid out: blocks, and whether back and exit stand beneath them. The functions of this
 * folder make screens of a dictionary and the data to show; render.ts makes replies of them.
 */
import type { Block } from "./pages.ts";

/** The letters of contract/ussd.md sections 5 and 12, and names for those that it leaves without one. */
export type ScreenId =
  | "W"
  | "I"
  | "S"
  | "A"
  | "L"
  | "Q"
  | "OK"
  | "N"
  | "E"
  | "P"
  | "C"
  | "G"
  | "K"
  | "SV"
  | "DF"
  | "MD"
  | "DR"
  | "DID"
  | "DQ"
  | "DP"
  | "OQ"
  | "OW"
  | "OA"
  | "PO"
  | "PN"
  | "PC"
  | "LG"
  | "WAIT"
  | "X";

export interface Screen {
  readonly id: ScreenId;
  /** Closes the session: one page, no keys. */
  readonly end?: true;
  /** Stands above the first page of a list; may give way. */
  readonly title?: string;
  readonly blocks: readonly Block[];
  /** The same options in fewer words, for when a reason stands above them. */
  readonly compact?: readonly Block[];
  /** False where there is nothing to go back to: W, G, K. */
  readonly back: boolean;
  /** `*. Exit` on W; on other numbered menus it stands where there is room (decisions 4.4). */
  readonly exit: "always" | "where-it-fits" | "never";
  /** Prose ends with the cut mark after so many pages. */
  readonly maxPages?: number;
}

/** `98. More`, `0. Back` and `*. Exit` are not among them. */
export function numberedKeys(screen: Screen): readonly string[] {
  return screen.blocks.flatMap((block) => (block.kind === "option" && /^[1-9]/.test(block.key) ? [block.key] : []));
}

export function line(text: string): Block {
  return { kind: "line", text };
}

export function option(key: string, label: string, detail?: string): Block {
  return detail === undefined ? { kind: "option", key, label } : { kind: "option", key, label, detail };
}

/** A menu: lines, then numbered options, then back and exit. */
export function menu(id: ScreenId, blocks: readonly Block[], rest: Partial<Screen> = {}): Screen {
  return { id, blocks, back: true, exit: "where-it-fits", ...rest };
}

/** A question to be answered with typed text: `0. Back` and perhaps `00. Skip`, no other keys. */
export function prompt(id: ScreenId, blocks: readonly Block[]): Screen {
  return { id, blocks, back: true, exit: "never" };
}
