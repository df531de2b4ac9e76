/** The display of a simple phone: the caller's number, the service's screen line by line, and how full the screen is. */
import { replySize } from "../../../shared/gsm7.ts";
import type { HandsetState, Line, Trouble } from "./handset-state.ts";
import { screenLines } from "./screen-lines.ts";

const statusTexts = { idle: "Ready", waiting: "Calling", live: "In call", ended: "Call ended", unanswered: "No reply" };

const troubleTexts = {
  "not-a-code": "Connection problem or invalid MMI code.",
  lost: "The reply was lost on the way to the phone. The server has processed the request.",
  "no-answer": "The server did not answer. Check that it runs and that you are online.",
  "too-many": (seconds: number) =>
    `This address has sent too many requests. Nothing was changed. Send it again in ${seconds} s.`,
  refused: (status: number) => `The server answered ${status}, which is not a reply for a phone.`,
  hidden:
    "The server answered 404. It serves telecom gateways only at a secret path or from listed addresses (USSD_PATH_SECRET, USSD_ALLOWED_IPS), and this browser uses neither. Use a development server, or npm run ussd with the path secret.",
};

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
        <span>{statusTexts[phase]}</span>
      </p>
      {/* A scrolling region is reachable by keyboard. */}
      <div className="phone-text" role="status" aria-label="Display" tabIndex={0}>
        {screenLines(textOf(state, line)).map((text, index) => (
          // Lines have no identity but their position.
          <p key={index}>{text === "" ? "\u00A0" : text}</p>
        ))}
      </div>
      {isShown && <Size reply={`${screen.kind} ${screen.body}`} kind={screen.kind} />}
    </div>
  );
}

function textOf({ phase, screen, trouble }: HandsetState, line: Line): string {
  if (trouble?.kind === "not-a-code") return troubleTexts["not-a-code"];
  if (phase === "waiting") return "USSD code running...";
  if (phase === "unanswered" && trouble !== undefined) return troubleText(trouble);
  return phase === "idle" || screen === undefined ? `Press Dial to call\n${line.serviceCode}` : screen.body;
}

export function troubleText(trouble: Trouble): string {
  switch (trouble.kind) {
    case "too-many":
      return troubleTexts["too-many"](trouble.seconds);
    case "refused":
      return trouble.status === 404 ? troubleTexts.hidden : troubleTexts.refused(trouble.status);
    default:
      return troubleTexts[trouble.kind];
  }
}

function Size({ reply, kind }: { readonly reply: string; readonly kind: string }) {
  const { alphabet, size, limit, networkLimit } = replySize(reply);
  const excess = size > networkLimit ? "network" : size > limit ? "screen" : undefined;
  return (
    <div className={excess === undefined ? "phone-size" : "phone-size over"}>
      <p>
        <span className="phone-kind">{kind}</span>
        <span>{`${size} of ${limit} ${alphabet === "GSM-7" ? "septets (GSM-7)" : "UTF-16 units (UCS-2)"}`}</span>
      </p>
      <div className="phone-bar" aria-hidden="true">
        <div style={{ inlineSize: `${Math.min(100, (size / limit) * 100)}%` }} />
      </div>
      {alphabet === "UCS-2" && (
        <p>A character outside GSM-7 makes the whole screen UCS-2, with less than half the room.</p>
      )}
      {excess === "screen" && (
        <p>{`Longer than the default screen of ${limit}; the network carries up to ${networkLimit}.`}</p>
      )}
      {excess === "network" && (
        <p>{`Longer than the ${networkLimit} that the network carries: a phone would cut it.`}</p>
      )}
    </div>
  );
}
