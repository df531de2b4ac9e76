/** The display of a simple phone: who calls, what the service shows, line by line, and how much of a screen that fills. */
import { phoneTexts } from "../texts/phone.ts";
import type { HandsetState, Line, Trouble } from "./handset-state.ts";
import { screenLines } from "./screen-lines.ts";
import { replySize } from "./septets.ts";

export interface DisplayProps {
  readonly state: HandsetState;
  readonly line: Line;
}

export function Display({ state, line }: DisplayProps) {
  const { phase, screen } = state;
  const isShown = screen !== undefined && (phase === "live" || phase === "ended");
  return (
    <div className={`phone-display ${phase}`}>
      <p className="phone-status">
        <span>{(phase === "idle" ? line : (state.line ?? line)).phoneNumber}</span>
        <span>{phoneTexts.status[phase]}</span>
      </p>
      {/* A scrolling region is reachable by keyboard. */}
      <div className="phone-text" role="status" aria-label={phoneTexts.display} tabIndex={0}>
        {screenLines(textOf(state, line)).map((text, index) => (
          // Lines have no identity but their place.
          <p key={index}>{text === "" ? "\u00A0" : text}</p>
        ))}
      </div>
      {isShown && <Size reply={`${screen.kind} ${screen.body}`} kind={screen.kind} />}
    </div>
  );
}

function textOf({ phase, screen, trouble }: HandsetState, line: Line): string {
  if (trouble?.kind === "not-a-code") return phoneTexts.trouble["not-a-code"];
  if (phase === "waiting") return phoneTexts.running;
  if (phase === "unanswered" && trouble !== undefined) return troubleText(trouble);
  return phase === "idle" || screen === undefined ? phoneTexts.readyToDial(line.serviceCode) : screen.body;
}

export function troubleText(trouble: Trouble): string {
  switch (trouble.kind) {
    case "too-many":
      return phoneTexts.trouble["too-many"](trouble.seconds);
    case "refused":
      return trouble.status === 404 ? phoneTexts.trouble.hidden : phoneTexts.trouble.refused(trouble.status);
    default:
      return phoneTexts.trouble[trouble.kind];
  }
}

function Size({ reply, kind }: { readonly reply: string; readonly kind: string }) {
  const { alphabet, size, limit, networkLimit } = replySize(reply);
  const excess = size > networkLimit ? "network" : size > limit ? "screen" : undefined;
  return (
    <div className={excess === undefined ? "phone-size" : "phone-size over"}>
      <p>
        <span className="phone-kind">{kind}</span>
        <span>{phoneTexts.size(size, limit, alphabet === "GSM-7")}</span>
      </p>
      <div className="phone-bar" aria-hidden="true">
        <div style={{ inlineSize: `${Math.min(100, (size / limit) * 100)}%` }} />
      </div>
      {alphabet === "UCS-2" && <p>{phoneTexts.ucs2}</p>}
      {excess === "screen" && <p>{phoneTexts.overScreen(limit, networkLimit)}</p>}
      {excess === "network" && <p>{phoneTexts.overNetwork(networkLimit)}</p>}
    </div>
  );
}
