/** The page that `npm run bench` measures, whatever client brings its messages: a list, a button, and counts of what was drawn. */
import { memo, Profiler } from "react";
import { createRoot } from "react-dom/client";
import type { JSX } from "react";

/** Read by the bench: commits of React, draws of single messages, and of those that did not change. */
const counts = { commits: 0, messages: 0, others: 0 };
Object.assign(globalThis, { counts });

const Message = memo(function Message({ id, text, isLast }: { id: string; text: string; isLast: boolean }) {
  counts.messages += 1;
  if (!isLast) counts.others += 1;
  return <li data-id={id}>{text}</li>;
});

interface ShapeProps {
  readonly messages: readonly { readonly id: string; readonly text: string }[];
  readonly status: string;
  readonly send: () => void;
}

export function Shape({ messages, status, send }: ShapeProps): JSX.Element {
  return (
    <main>
      <ol>
        {messages.map(({ id, text }, index) => (
          <Message key={id} id={id} text={text} isLast={index >= messages.length - 1} />
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
  createRoot(root).render(
    <Profiler id="page" onRender={() => void (counts.commits += 1)}>
      {page}
    </Profiler>,
  );
}

/** What the bench's page was asked for. */
export function asked(name: string): string {
  return new URLSearchParams(window.location.search).get(name) ?? "";
}

/** A token that nobody reads. */
export const token = async () => ({ serialized: "token", expiresAt: Date.now() + 86_400_000 });
