/** The field for the next message. It does not depend on the conversation, so typing re-renders nothing else. */
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
} from "react";
import { Icon } from "../kit/icon.tsx";
import { isComposing } from "../kit/is-composing.ts";
import { chatTexts } from "../texts/chat.ts";
import { useChatParts } from "./chat-context.ts";
import { useDraft } from "./drafts.ts";
import type { Attachments } from "./use-attachments.ts";

export interface ComposerProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isBusy: boolean;
  /** Where the draft is stored. */
  readonly draftPlace: string;
  /** The initial text of the empty field, for the user to send. */
  readonly suggested: string;
  /** Undefined if this host stores no files. */
  readonly attachments: Attachments | undefined;
  readonly onSend: (message: string) => void;
  readonly onStop: () => void;
}

export function Composer({ field, isBusy, draftPlace, suggested, attachments, onSend, onStop }: ComposerProps) {
  const { identity } = useChatParts();
  const [text, setText] = useDraft(identity.signer.did, draftPlace);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (suggested === "") return;
    if (field.current?.value === "") setText(suggested);
    field.current?.focus();
  }, [suggested, field, setText]);

  const files = attachments?.files ?? [];
  const isSending = files.some(({ state }) => state.kind === "sending");
  const canSend = !isSending && (text.trim() !== "" || files.some(({ state }) => state.kind === "ready"));

  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!canSend) return;
    // Cleared before sending: a message that cannot be sent is restored.
    setText("");
    onSend(text.trim() === "" ? chatTexts.attach.alone : text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = [...event.clipboardData.files];
    if (attachments === undefined || pasted.length === 0) return;
    event.preventDefault();
    attachments.add(pasted);
  };
  return (
    <form ref={form} className="chat-composer" onSubmit={submit}>
      {attachments !== undefined && <AttachButton attachments={attachments} />}
      <label htmlFor={id} className="hidden-visually">
        {chatTexts.message}
      </label>
      <textarea
        id={id}
        ref={field}
        rows={1}
        placeholder={isBusy ? "Next message" : "Ask the oracle"}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {isBusy && (
        <button type="button" onClick={onStop}>
          {chatTexts.stop}
        </button>
      )}
      <button
        type="submit"
        className="primary"
        aria-disabled={!canSend}
        title={isSending ? chatTexts.attach.wait : undefined}
      >
        {isBusy ? "Queue" : chatTexts.send}
      </button>
    </form>
  );
}

function AttachButton({ attachments: { accept, add } }: { readonly attachments: Attachments }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className="ghost"
        aria-label={chatTexts.attach.choose}
        title={chatTexts.attach.choose}
        onClick={() => input.current?.click()}
      >
        <Icon name="attach" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={accept}
        onChange={({ currentTarget }) => {
          add(currentTarget.files ?? []);
          // Allows choosing a file again.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
