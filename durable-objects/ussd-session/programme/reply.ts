/** The reply that a programme's state shows: its screen, or the screen of a wait. */
import { line, menu, option, type Screen } from "../screen/screen.ts";
import { render, type Reply } from "../screen/render.ts";
import type { ScreenLimit } from "../texts/characters.ts";
import { fill, supportValue } from "../texts/dictionary.ts";
import { isSeen, screenFor, type Facts, type Sight } from "./file-screen.ts";
import { screenNamed, wordingIn, type Programme } from "./programme.ts";
import type { ProgrammeState } from "./step.ts";

/** The one option of a wait; it changes nothing. */
export const CHECK_AGAIN_KEY = "1";

export function sightOf(programme: Programme, state: ProgrammeState, facts: Facts): Sight {
  return { specs: programme.values, wording: wordingIn(programme, state.language), values: state.values, facts };
}

/** The current screen as blocks. */
export function currentScreen(programme: Programme, state: ProgrammeState, facts: Facts): Screen {
  const sight = sightOf(programme, state, facts);
  const { texts } = sight.wording.dictionary;
  if (state.pending !== undefined) return menu("WAIT", [line(texts.wait), option(CHECK_AGAIN_KEY, texts.checkAgain)]);
  if (state.screen === "")
    return { id: "X", end: true, blocks: [line(fill(texts.goodbye, { app: facts.app }))], back: false, exit: "never" };
  const screen = screenNamed(programme, state.screen);
  if (isSeen(screen) || "end" in screen) return screenFor(state.screen, screen, sight);
  throw new Error("the screen is not shown");
}

/** The reply to the caller. */
export function replyOf(programme: Programme, state: ProgrammeState, facts: Facts, limit: ScreenLimit): Reply {
  const screen = currentScreen(programme, state, facts);
  const { dictionary } = wordingIn(programme, state.language);
  const { page, message } = state;
  if (message === undefined) return render(screen, { dictionary, limit, page });
  const values = { ...supportValue(dictionary, facts.supportPhone), ...message.values };
  return render(screen, { dictionary, limit, page, message: { ...message, values } });
}
