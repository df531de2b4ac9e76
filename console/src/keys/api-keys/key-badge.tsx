/** The state of a key in a word. */
import { Badge, type Tone } from "../../kit/badge.tsx";
import { keysTexts } from "../../texts/keys.ts";
import type { KeyState } from "../../session/key-state.ts";

const tones: Readonly<Record<KeyState, Tone>> = {
  active: "ok",
  expiring: "warn",
  replaced: "info",
  expired: "neutral",
  revoked: "danger",
};

export function KeyBadge({ state }: { readonly state: KeyState }) {
  return <Badge tone={tones[state]}>{keysTexts.states[state]}</Badge>;
}
