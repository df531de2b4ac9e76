/**
 * A session as part of an address: `play` once for each step, `d` and what was dialled after the code, or `i` and what was typed.
 * PINs are names such as `{pin}` and never values.
 */
import type { PlayStep } from "../../../shared/flow-player.ts";
import { namesIn } from "../../../shared/flow-template.ts";
import { rememberSecrets } from "./secret-input.ts";
import { CUSTOMER_ID_NAME, pinName, type RecordedStep } from "./session-recording.ts";

export const PLAY_PARAMETER = "play";
/** Steps of one address: browsers and proxies take a few thousand characters. */
export const MAX_SHARED_STEPS = 100;

export function sharedSteps(steps: readonly Pick<RecordedStep, "kind" | "typed">[]): readonly string[] {
  return steps.slice(0, MAX_SHARED_STEPS).map(({ kind, typed }) => `${kind === "dial" ? "d" : "i"}${typed}`);
}

/** Other texts than ours are left out. A PIN that somebody wrote into the address becomes a name: who replays it enters their own. */
export function readSharedSteps(texts: readonly string[]): readonly PlayStep[] {
  const steps = texts.filter((text) => /^[di]/.test(text)).slice(0, MAX_SHARED_STEPS);
  const taken = new Set(steps.flatMap(namesIn)).size;
  const secrets = rememberSecrets((index) => pinName(taken + index));
  return steps.map((text) => ({
    kind: text.startsWith("d") ? "dial" : "input",
    typed: secrets.typed(text.slice(1), ""),
  }));
}

/** What somebody who replays it has to enter; a Customer ID is read from the screen. */
export function askedNames(steps: readonly PlayStep[]): readonly string[] {
  const names = steps.flatMap(({ typed }) => namesIn(typed));
  return [...new Set(names)].filter((name) => !name.startsWith(CUSTOMER_ID_NAME) && !/^phone(End)?$/.test(name));
}
