/** The floating panel: a button that opens it, a filter, and the entries, newest first. */
"use client";
import { useId, useRef, useState, useSyncExternalStore, type JSX, type CSSProperties } from "react";
import type { InspectedEntry } from "../core/client-settings.ts";
import type { Inspector, KeptEntry } from "./inspector.ts";

/** The props of `OraclesDevtools`. */
export interface OraclesDevtoolsProps {
  /** The inspector to show. Pass its `inspect` to the provider or the client. */
  readonly inspector: Inspector;
  /** False by default: the panel shows a button that opens it. */
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

/** Escape closes the panel. */
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

/**
 * The styles of the panel. They are inline so that they do not affect the page; `revert` keeps the page's own rules
 * out.
 */
const text: CSSProperties = {
  all: "revert",
  color: "#f3f4f6",
  fontFamily: "ui-monospace, SFMono-Regular, Menlo, monospace",
  fontSize: "12px",
  lineHeight: "1.5",
  boxSizing: "border-box",
};
const control: CSSProperties = {
  ...text,
  background: "#374151",
  border: "1px solid #9ca3af",
  borderRadius: "4px",
  padding: "4px 8px",
  minHeight: "28px",
  cursor: "pointer",
};

const styles = {
  toggle: { ...control, position: "fixed", right: "12px", bottom: "12px", zIndex: 2147483000 },
  panel: {
    ...text,
    position: "fixed",
    right: "12px",
    bottom: "52px",
    zIndex: 2147483000,
    width: "min(520px, calc(100vw - 24px))",
    height: "min(420px, calc(100vh - 76px))",
    display: "flex",
    flexDirection: "column",
    background: "#111827",
    border: "1px solid #6b7280",
    borderRadius: "6px",
    overflow: "hidden",
  },
  bar: { ...text, display: "flex", gap: "8px", alignItems: "center", padding: "8px", background: "#1f2937" },
  title: { ...text, fontWeight: 700, margin: 0, flex: "1 1 auto" },
  label: { ...text, display: "flex", gap: "4px", alignItems: "center" },
  control,
  entries: { ...text, flex: "1 1 auto", overflow: "auto", margin: 0, padding: 0, minHeight: 0 },
  list: { ...text, listStyle: "none", margin: 0, padding: 0 },
  entry: { ...text, borderTop: "1px solid #374151", padding: "2px 8px" },
  summary: { ...text, cursor: "pointer", padding: "2px 0" },
  kind: { ...text, color: "#93c5fd" },
  faint: { ...text, color: "#d1d5db" },
  detail: { ...text, whiteSpace: "pre-wrap", overflowWrap: "anywhere", margin: "0 0 4px" },
  empty: { ...text, padding: "8px", margin: 0 },
} satisfies Record<string, CSSProperties>;
