/** The handset: display, input line, keys. Every key works by mouse, by touch, and from the computer's keyboard. */
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { rememberAct } from "../api/own-acts.ts";
import { isComposing } from "../kit/is-composing.ts";
import { readDialled } from "./dialled.ts";
import { Display, troubleText } from "./display.tsx";
import { type Guide, type Hint, nextHint } from "./guide.ts";
import type { Line } from "./handset-state.ts";
import type { Handset } from "./handset.ts";
import { asksForPin } from "./secret-input.ts";
import { useHandset } from "./use-handset.ts";

const hint = {
  idle: "Press Dial, enter the number of a menu item, then press Send.",
  live: "Enter a menu number, or text if the screen asks for it, then press Send.",
  ended: "The service ended the call. Press Dial to call again.",
  unanswered: "Send the same request again, or hang up and dial.",
  waiting: "Calling. You can drop the line in the meantime.",
};

export interface HandsetViewProps {
  readonly number: number;
  readonly handset: Handset;
  readonly line: Line;
  /** Whether Dial has the focus when the screen opens. */
  readonly takesFocus: boolean;
  readonly guide: Guide | undefined;
}

/** Maximum characters of all inputs of a session together (PH-82). */
const LONGEST_INPUT = 182;

export function HandsetView({ number, handset, line, takesFocus, guide }: HandsetViewProps) {
  const state = useHandset(handset);
  const { phase, screen, trouble, canRepeat } = state;
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const dialButton = useRef<HTMLButtonElement>(null);
  const [lastDialled, setLastDialled] = useState("");
  const isLive = phase === "live";
  useEffect(() => {
    if (isLive) rememberAct("dial");
  }, [isLive]);
  const isSecret = isLive && screen !== undefined && asksForPin(screen.body);

  useEffect(() => {
    if (!takesFocus) return;
    // After the frame has moved the focus to a new screen.
    const timer = setTimeout(() => {
      if (document.activeElement === document.body || document.activeElement?.id === "main")
        dialButton.current?.focus({ preventScroll: true });
    });
    return () => clearTimeout(timer);
  }, [takesFocus]);

  const dial = (dialled: string): void => {
    const read = readDialled(dialled, line.serviceCode);
    if (read === undefined) return handset.rejectCode();
    setTyped("");
    setLastDialled(dialled);
    void handset.dial({ ...line, serviceCode: read.serviceCode }, read.text);
  };
  const send = async (): Promise<void> => {
    if (phase === "waiting") return;
    if (!isLive) return dial(typed);
    setTyped("");
    const outcome = await handset.answer(typed);
    if (outcome.kind === "wait") setTyped((now) => (now === "" ? typed : now));
  };
  const hangUp = (): void => {
    setTyped("");
    void handset.hangUp();
  };
  const fillIn = (text: string): void => {
    setTyped(text);
    dialButton.current?.focus({ preventScroll: true });
  };
  const press = (key: string): void => setTyped((before) => (before + key).slice(0, LONGEST_INPUT));
  /** Not on touch: the device's keyboard would cover the handset's keys. */
  const focusLine = ({ nativeEvent }: MouseEvent): void => {
    if ((nativeEvent as PointerEvent).pointerType !== "touch") input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isComposing(event)) return;
    const isLine = event.target === input.current;
    if (event.key === "Escape") {
      event.preventDefault();
      hangUp();
      dialButton.current?.focus();
    } else if (isLine && event.key === "Enter") {
      event.preventDefault();
      void send();
    } else if (!isLine && event.key === "Backspace") {
      setTyped((before) => before.slice(0, -1));
    } else if (!isLine && event.key !== " " && event.key.length === 1) {
      // Typed while a key of the handset has the focus: moves the text and the focus to the input line.
      event.preventDefault();
      press(event.key);
      input.current?.focus();
    }
  };

  return (
    <div className="handset-frame">
      {guide === undefined && <p className="muted phone-hint">{hint[phase]}</p>}
      <div className="handset" role="group" aria-label={`Handset of phone ${number}`} onKeyDown={onKeyDown}>
        <span className="earpiece" aria-hidden="true" />
        <Display state={state} line={line} />
        {guide !== undefined && <GuideLine hint={nextHint(state, guide) ?? { text: hint[phase] }} onType={fillIn} />}
        <div className="handset-controls">
          <input
            ref={input}
            className="phone-line"
            type={isSecret ? "password" : "text"}
            aria-label={isSecret ? "Your PIN" : isLive ? "Your answer" : "Number to dial"}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={LONGEST_INPUT}
            placeholder={isLive ? "" : line.serviceCode}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          {isLive && trouble !== undefined && (
            <p className="field-error" role="alert">
              {troubleText(trouble)}
            </p>
          )}
          <div className="phone-acts">
            <button
              ref={dialButton}
              type="button"
              className="call"
              aria-disabled={phase === "waiting"}
              onClick={(event) => {
                void send();
                focusLine(event);
              }}
            >
              {isLive ? "Send" : "Dial"}
            </button>
            <button
              type="button"
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => setTyped((before) => before.slice(0, -1))}
            >
              Clear
            </button>
            <button type="button" className="end" onClick={hangUp}>
              Hang up
            </button>
          </div>
          <Keypad onPress={press} />
        </div>
      </div>
      <div className="row wrap phone-tools">
        <button
          type="button"
          className="small"
          title="Ends the call and dials the same code again"
          aria-disabled={phase === "waiting"}
          onClick={(event) => {
            dial(lastDialled);
            focusLine(event);
          }}
        >
          Redial
        </button>
        <button
          type="button"
          className="small"
          title="Simulates a lost network: the server is not informed"
          disabled={phase === "idle" || phase === "ended"}
          onClick={() => {
            setTyped("");
            handset.drop();
            dialButton.current?.focus({ preventScroll: true });
          }}
        >
          Drop the line
        </button>
        <button
          type="button"
          className="small"
          title="Repeats the last request, as a gateway does"
          disabled={!canRepeat}
          aria-disabled={phase === "waiting"}
          onClick={() => void handset.repeat()}
        >
          Send again
        </button>
      </div>
      <p className="muted small">Keyboard: digits, * and #, Enter to dial or send, Esc to hang up.</p>
    </div>
  );
}

interface GuideLineProps {
  readonly hint: Hint;
  readonly onType: (text: string) => void;
}

/** On the phone: what to do at the shown screen. */
function GuideLine({ hint: { text, typed }, onType }: GuideLineProps) {
  return (
    <div className="phone-guide-line">
      <p aria-live="polite">{text}</p>
      {typed !== undefined && (
        <button type="button" className="small" onClick={() => onType(typed)}>
          {`Type ${typed}`}
        </button>
      )}
    </div>
  );
}

const keys: readonly (readonly [key: string, letters: string])[] = [
  ["1", ""],
  ["2", "abc"],
  ["3", "def"],
  ["4", "ghi"],
  ["5", "jkl"],
  ["6", "mno"],
  ["7", "pqrs"],
  ["8", "tuv"],
  ["9", "wxyz"],
  ["*", ""],
  ["0", "+"],
  ["#", ""],
];

const names: Readonly<Record<string, string>> = { "*": "star", "#": "hash" };

/** The twelve keys, with the letters that phones print on them. */
function Keypad({ onPress }: { readonly onPress: (key: string) => void }) {
  return (
    <div className="keypad" role="group" aria-label="Keypad">
      {keys.map(([key, letters]) => (
        <button
          key={key}
          type="button"
          aria-label={names[key]}
          // The input line keeps the focus, so that Enter sends after a click on a key.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPress(key)}
        >
          <span>{key}</span> {letters !== "" && <small>{letters}</small>}
        </button>
      ))}
    </div>
  );
}
