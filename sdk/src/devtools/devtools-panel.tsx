/** The floating panel: a button that opens it, a choice of what to show, and the entries, newest first. */
"use client";
import { useId, useRef, useState, useSyncExternalStore, type JSX } from "react";
import type { InspectedEntry } from "../core/oracle-client.ts";
import type { Inspector, KeptEntry } from "./inspector.ts";
import { styles } from "./panel-styles.ts";

/** Of `OraclesDevtools`. */
export interface OraclesDevtoolsProps {
  /** What it shows; its `inspect` goes to the provider or the client. */
  readonly inspector: Inspector;
  /** False by default: a button that opens it. */
  readonly initiallyOpen?: boolean;
}

type Kind = InspectedEntry["kind"];
const choices: readonly (readonly ["all" | Kind, string])[] = [
  ["all", "Everything"],
  ["request", "Requests"],
  ["frame", "Frames"],
  ["socket", "Socket"],
  ["run", "Run and queue"],
  ["tokens", "Sign-in"],
];

/** Escape closes it. */
export function DevtoolsPanel({ inspector, initiallyOpen = false }: OraclesDevtoolsProps): JSX.Element {
  const [isOpen, setOpen] = useState(initiallyOpen);
  const toggle = useRef<HTMLButtonElement>(null);
  const id = useId();
  function close(): void {
    setOpen(false);
    toggle.current?.focus();
  }
  function onKeyDown({ key }: { readonly key: string }): void {
    if (key === "Escape") close();
  }
  return (
    <>
      {isOpen ? <Entries inspector={inspector} id={id} onClose={close} onKeyDown={onKeyDown} /> : null}
      <button
        ref={toggle}
        type="button"
        style={styles.toggle}
        aria-expanded={isOpen}
        {...(isOpen ? { "aria-controls": id } : {})}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={onKeyDown}
      >
        Oracle devtools
      </button>
    </>
  );
}

interface EntriesProps {
  readonly inspector: Inspector;
  readonly id: string;
  readonly onClose: () => void;
  readonly onKeyDown: (event: { readonly key: string }) => void;
}

function Entries({ inspector, id, onClose, onKeyDown }: EntriesProps): JSX.Element {
  const entries = useSyncExternalStore(inspector.subscribe, inspector.getSnapshot, inspector.getSnapshot);
  const [shown, setShown] = useState<"all" | Kind>("all");
  const chosen = entries.filter(({ kind }) => shown === "all" || kind === shown).toReversed();
  return (
    <section id={id} aria-label="Oracle devtools" style={styles.panel} onKeyDown={onKeyDown}>
      <div style={styles.bar}>
        <p style={styles.title}>Oracle devtools</p>
        <label style={styles.label}>
          Show
          <select
            style={styles.control}
            value={shown}
            onChange={({ target }) => setShown(choices.find(([kind]) => kind === target.value)?.[0] ?? "all")}
          >
            {choices.map(([kind, words]) => (
              <option key={kind} value={kind}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <button type="button" style={styles.control} onClick={inspector.clear}>
          Clear
        </button>
        <button type="button" style={styles.control} onClick={onClose}>
          Close
        </button>
      </div>
      <div style={styles.entries} tabIndex={0} role="group" aria-label="Entries, newest first">
        {chosen.length === 0 ? <p style={styles.empty}>Nothing yet.</p> : null}
        <ol style={styles.list}>
          {chosen.map((entry) => (
            <li key={entry.id} style={styles.entry}>
              <Entry {...entry} />
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

function Entry({ at, kind, name, count, sessionId, detail }: KeptEntry): JSX.Element {
  const line = (
    <>
      <span style={styles.faint}>{new Date(at).toISOString().slice(11, 23)}</span>{" "}
      <span style={styles.kind}>{kind}</span> {name}
      {count > 1 ? ` ×${count}` : ""}
    </>
  );
  if (detail === "" && sessionId === undefined) return line;
  return (
    <details style={styles.summary}>
      <summary style={styles.summary}>{line}</summary>
      {sessionId === undefined ? null : <p style={styles.detail}>session {sessionId}</p>}
      <pre style={styles.detail}>{detail}</pre>
    </details>
  );
}
