/** The page that `npm run bench` measures, independent of the client: a list, a button, and counts of what was drawn. */
import { memo } from "react";
import { createRoot } from "react-dom/client";
import type { JSX } from "react";

/** Read by the bench: draws of the page, and of messages other than the last one. */
const counts = { page: 0, others: 0 };
Object.assign(globalThis, { counts });

interface MessageProps {
  readonly message: unknown;
  readonly textOf: (message: never) => string;
  readonly isLast: boolean;
}

/** Drawn again when the message is a new object. */
const Message = memo(function Message({ message, textOf, isLast }: MessageProps) {
  if (!isLast) counts.others += 1;
  return <li>{textOf(message as never)}</li>;
});

interface ShapeProps<Item> {
  readonly messages: readonly Item[];
  readonly idOf: (message: Item) => string;
  readonly textOf: (message: Item) => string;
  readonly status: string;
  readonly send: () => void;
}

export function Shape<Item>({ messages, idOf, textOf, status, send }: ShapeProps<Item>): JSX.Element {
  counts.page += 1;
  return (
    <main>
      <ol>
        {messages.map((message, index) => (
          <Message key={idOf(message)} message={message} textOf={textOf} isLast={index >= messages.length - 1} />
        ))}
      </ol>
      <p role="status">{status}</p>
      <button type="button" onClick={send}>
        Send
      </button>
    </main>
  );
}

export function draw(page: JSX.Element): void {
  const root = document.querySelector("#root");
  if (root === null) return;
  createRoot(root).render(page);
}

/** A setting in the address of the bench's page. */
export function asked(name: string): string {
  return new URLSearchParams(window.location.search).get(name) ?? "";
}

/** A token that is never checked. */
export const token = async () => ({ serialized: "token", expiresAt: Date.now() + 86_400_000 });
