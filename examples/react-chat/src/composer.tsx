/** The input field for the next message. It does not depend on the conversation, so typing renders nothing else. */
import { useRef, useState, type KeyboardEvent, type SyntheticEvent } from "react";

interface ComposerProps {
  readonly isBusy: boolean;
  readonly onSend: (message: string) => void;
  readonly onStop: () => void;
}

export function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const form = useRef<HTMLFormElement>(null);

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (text.trim() === "") return;
    onSend(text);
    setText("");
  }

  function keyDown(event: KeyboardEvent): void {
    // During text composition, for example in Chinese or Amharic, Enter accepts the suggestion.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  }

  return (
    <form ref={form} className="composer" onSubmit={submit}>
      <label htmlFor="message" className="visually-hidden">
        Message
      </label>
      <textarea
        id="message"
        rows={1}
        placeholder={isBusy ? "Your next message" : "Ask the oracle"}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={keyDown}
      />
      {isBusy && (
        <button type="button" className="plain" onClick={onStop}>
          Stop
        </button>
      )}
      <button type="submit" className="primary" disabled={text.trim() === ""}>
        {isBusy ? "Queue" : "Send"}
      </button>
    </form>
  );
}
