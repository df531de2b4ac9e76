/**
 * A session as part of an address: `play` once per step, `d` and the text dialled after the code, or `i` and the typed text. PINs
 * are names such as `{pin}`, never values.
 */
import type { PlayStep } from "../../../shared/flow-player.ts";
import { namesIn } from "../../../shared/flow-template.ts";
import { rememberSecrets } from "./secret-input.ts";
import { CUSTOMER_ID_NAME, pinName, type RecordedStep } from "./session-recording.ts";

export const PLAY_PARAMETER = "play";
/** Maximum steps of an address: browsers and proxies accept a few thousand characters. */
export const MAX_SHARED_STEPS = 100;

export function sharedSteps(steps: readonly Pick<RecordedStep, "kind" | "typed">[]): readonly string[] {
  return steps.slice(0, MAX_SHARED_STEPS).map(({ kind, typed }) => `${kind === "dial" ? "d" : "i"}${typed}`);
}

/** Unknown texts are ignored. A PIN in the address becomes a name, so that the user who replays it enters their own. */
export function readSharedSteps(texts: readonly string[]): readonly PlayStep[] {
  const steps = texts.filter((text) => /^[di]/.test(text)).slice(0, MAX_SHARED_STEPS);
  const taken = new Set(steps.flatMap(namesIn)).size;
  const secrets = rememberSecrets((index) => pinName(taken + index));
  return steps.map((text) => ({
    kind: text.startsWith("d") ? "dial" : "input",
    typed: secrets.typed(text.slice(1), ""),
  }));
}

/** The values that the user must enter; a Customer ID is read from the screen. */
export function askedNames(steps: readonly PlayStep[]): readonly string[] {
  const names = steps.flatMap(({ typed }) => namesIn(typed));
  return [...new Set(names)].filter((name) => !name.startsWith(CUSTOMER_ID_NAME) && !/^phone(End)?$/.test(name));
}
