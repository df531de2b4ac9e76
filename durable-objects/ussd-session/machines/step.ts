/** What a state is to the phone: what may be typed there, and its screen. Beside each machine stand its steps. */
import type { Dictionary } from "../i18n/dictionary.ts";
import type { StepKind } from "../input/input-keys.ts";
import type { Screen } from "../screens/screen.ts";

/** What screens show that is no session's own. */
export interface ScreenSettings {
  readonly app: string;
  /** Pages of the oracle's answer. */
  readonly answerPages: number;
}

export interface Step<Context> {
  readonly takes: StepKind;
  readonly screen: (dictionary: Dictionary, context: Context, settings: ScreenSettings) => Screen;
  /** The page that was left is the page that is come back to, as long as the machine lives. */
  readonly keepsPage?: true;
}

/** By the name of the state. */
export type Steps<Context> = Readonly<Record<string, Step<Context>>>;
