/** The field for the next message. It knows nothing of the conversation, so typing draws nothing else. */
import { useEffect, useId, useRef, type KeyboardEvent, type RefObject, type SyntheticEvent } from "react";
import { isComposing } from "../kit/is-composing.ts";
import { chatTexts } from "../texts/chat.ts";
import { useChatParts } from "./chat-context.ts";
import { useDraft } from "./drafts.ts";

export interface ComposerProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isBusy: boolean;
  /** Where what is typed is kept. */
  readonly draftPlace: string;
  /** Written into the empty field at first, for the user to send. */
  readonly suggested: string;
  readonly onSend: (message: string) => void;
  readonly onStop: () => void;
}

export function Composer({ field, isBusy, draftPlace, suggested, onSend, onStop }: ComposerProps) {
  const { identity } = useChatParts();
  const [text, setText] = useDraft(identity.signer.did, draftPlace);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (suggested === "") return;
    if (field.current?.value === "") setText(suggested);
    field.current?.focus();
  }, [suggested, field, setText]);

  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (text.trim() === "") return;
    // Before sending: a message that cannot be sent comes back into the field.
    setText("");
    onSend(text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };
  return (
    <form ref={form} className="chat-composer" onSubmit={submit}>
      <label htmlFor={id} className="hidden-visually">
        {chatTexts.message}
      </label>
      <textarea
        id={id}
        ref={field}
        rows={1}
        placeholder={isBusy ? chatTexts.placeholderNext : chatTexts.placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {isBusy && (
        <button type="button" onClick={onStop}>
          {chatTexts.stop}
        </button>
      )}
      <button type="submit" className="primary" aria-disabled={text.trim() === ""}>
        {isBusy ? chatTexts.queue : chatTexts.send}
      </button>
    </form>
  );
}
