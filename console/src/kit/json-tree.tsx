/**
 * Shows any JSON value as a tree that opens step by step: a row is rendered when its node is opened, so 5 MB cost no more than 5
 * KB. One tab stop; arrow keys move, open and close; Enter opens; the selected value can be copied as JSON or by its pointer.
 */
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from "react";
import { jsonTreeTexts } from "../texts/kit.ts";
import { grouped, plural } from "../texts/number.ts";
import { CopyButton } from "./copy-button.tsx";
import { exactNumber, stringifyExactly } from "./exact-json.ts";
import { Icon } from "./icon.tsx";
import { type JsonRow, LONG_TEXT, type NodeRow, SLICE, kindOf, openAtFirst, rowsOf } from "./json-rows.ts";

export interface JsonTreeProps {
  readonly value: unknown;
  /** Names the tree for assistive technology, such as "Answer". */
  readonly label: string;
  /** Levels open initially: 1 shows the members of the document. Limited to a few hundred rows. */
  readonly openDepth?: number;
}

export function JsonTree({ value, label, openDepth = 1 }: JsonTreeProps) {
  const atFirst = useMemo(() => openAtFirst(value, openDepth), [value, openDepth]);
  /** Where the user's choice differs from `atFirst`; pointers survive a new value. */
  const [flipped, setFlipped] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const rows = useMemo(() => {
    const open = new Set(atFirst);
    for (const [pointer, isOpen] of flipped) {
      if (isOpen) open.add(pointer);
      else open.delete(pointer);
    }
    return rowsOf(value, { open, shown });
  }, [value, atFirst, flipped, shown]);

  const [currentId, setCurrentId] = useState("");
  const found = rows.findIndex(({ id }) => id === currentId);
  const currentIndex = Math.max(found, 0);
  const current = rows[currentIndex];
  const tree = useRef<HTMLDivElement>(null);
  const movesFocus = useRef(false);
  useEffect(() => {
    if (!movesFocus.current) return;
    movesFocus.current = false;
    tree.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  });

  const select = (row: JsonRow): void => {
    movesFocus.current = true;
    setCurrentId(row.id);
  };
  const act = (row: JsonRow): void => {
    select(row);
    if (row.type === "node" && row.canOpen) setFlipped((before) => new Map(before).set(row.pointer, !row.isOpen));
    if (row.type !== "more") return;
    const now = shown.get(row.pointer) ?? SLICE;
    setShown((before) => new Map(before).set(row.pointer, now + SLICE));
    // The row of "show more" disappears, so the previous row is selected.
    const previous = rows[rows.indexOf(row) - 1];
    if (previous !== undefined) setCurrentId(previous.id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (current === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = rowAfterKey(rows, currentIndex, event.key);
    if (next === undefined) return;
    event.preventDefault();
    if (next === "act") act(current);
    else select(next);
  };

  return (
    <div className="json">
      <div className="json-bar row wrap">
        <span className="grow small">
          <span className="muted">Selected:</span>{" "}
          {current?.pointer === "" ? "Whole document" : <code>{current?.pointer}</code>}
        </span>
        <CopyButton text={() => stringifyExactly(valueAt(rows, current), 2)} label="Copy JSON" showsLabel />
        <CopyButton text={current?.pointer ?? ""} label="Copy pointer" showsLabel />
      </div>
      <div ref={tree} role="tree" aria-label={label} className="json-tree" onKeyDown={onKeyDown}>
        {rows.map((row, index) => (
          <Row key={row.id} row={row} isCurrent={index === currentIndex} onAct={act} />
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: JsonRow;
  readonly isCurrent: boolean;
  readonly onAct: (row: JsonRow) => void;
}

const Row = memo(
  function Row({ row, isCurrent, onAct }: RowProps) {
    const node = row.type === "node" ? row : undefined;
    return (
      <div
        role="treeitem"
        aria-level={row.level}
        aria-expanded={node?.canOpen === true ? node.isOpen : undefined}
        aria-posinset={node?.position}
        aria-setsize={node?.siblings}
        aria-selected={isCurrent}
        tabIndex={isCurrent ? 0 : -1}
        className={`json-row ${row.type}`}
        style={{ "--level": Math.min(row.level, DEEPEST_INDENT) - 1 } as object}
        onClick={() => {
          // Selecting text to copy it does not open or close the node.
          if (getSelection()?.isCollapsed !== false) onAct(row);
        }}
      >
        <JsonRowContent row={row} />
      </div>
    );
  },
  (before, after) => before.isCurrent === after.isCurrent && isSame(before.row, after.row),
);

/** Maximum indented levels; deeper rows are indented equally, so that a narrow screen keeps room for values. */
const DEEPEST_INDENT = 12;

/** Ignores `onAct`, which changes with the whole tree and works on the row that it gets. */
function isSame(one: JsonRow, other: JsonRow): boolean {
  if (one.type === "node" && other.type === "node")
    return one.value === other.value && one.isOpen === other.isOpen && one.siblings === other.siblings;
  return false;
}

/** The value of the selected node, or of the node that the selected part belongs to. */
function valueAt(rows: readonly JsonRow[], current: JsonRow | undefined): unknown {
  const node = rows.find((row) => row.type === "node" && row.pointer === current?.pointer);
  return node?.type === "node" ? node.value : null;
}

/** The row to move to, "act" to open, close or show more, or undefined for another key. */
function rowAfterKey(rows: readonly JsonRow[], index: number, key: string): JsonRow | "act" | undefined {
  const current = rows[index];
  if (current === undefined) return undefined;
  const isOpenable = current.type === "node" && current.canOpen;
  const isOpen = current.type === "node" && current.isOpen;
  switch (key) {
    case "ArrowDown":
      return rows[index + 1] ?? current;
    case "ArrowUp":
      return rows[index - 1] ?? current;
    case "Home":
      return rows[0];
    case "End":
      return rows.at(-1);
    case "ArrowRight":
      if (isOpen) return rows[index + 1] ?? current;
      return isOpenable ? "act" : current;
    case "ArrowLeft":
      return isOpen ? "act" : (parentOf(rows, index) ?? current);
    case "Enter":
    case " ":
      return isOpenable || current.type === "more" ? "act" : current;
    default:
      return key.length === 1 ? nextNamed(rows, index, key.toLowerCase()) : undefined;
  }
}

function parentOf(rows: readonly JsonRow[], index: number): JsonRow | undefined {
  const level = rows[index]?.level ?? 1;
  return rows.slice(0, index).findLast((row) => row.level === level - 1);
}

/** The next row whose name begins with the typed text, wrapping around. */
function nextNamed(rows: readonly JsonRow[], index: number, letter: string): JsonRow | undefined {
  const begins = (row: JsonRow): boolean => row.type === "node" && row.name?.toLowerCase().startsWith(letter) === true;
  return rows.slice(index + 1).find(begins) ?? rows.slice(0, index).find(begins);
}

/** One row of a JSON tree: its name, and its value or a summary of its content. */
function JsonRowContent({ row }: { readonly row: JsonRow }) {
  if (row.type === "more") return <span className="json-more">{jsonTreeTexts.more(row.remaining, SLICE)}</span>;
  if (row.type === "part") return <span className="json-string">{row.text}</span>;
  return (
    <>
      <span className="json-marker">{row.canOpen && <Icon name="chevron" />}</span>
      <span>
        {row.name !== undefined && <span className="json-name">{row.name}: </span>}
        <NodeValue row={row} />
      </span>
    </>
  );
}

function NodeValue({ row }: { readonly row: NodeRow }) {
  const { kind, size, value, isOpen } = row;
  if (kind === "array" || kind === "object") {
    if (size === 0) return <span className="json-sign">{kind === "array" ? "[]" : "{}"}</span>;
    const said = kind === "array" ? plural(size, "item", "items") : plural(size, "member", "members");
    return (
      <span className="json-sign">
        {kind === "array" ? "[ ]" : "{ }"} {said}
        {!isOpen && kind === "object" && ` ${previewOf(value)}`}
      </span>
    );
  }
  if (kind !== "string" || typeof value !== "string") {
    const text = exactNumber(value) ?? String(value);
    return <span className={`json-${kind}`}>{text.length > LONG_TEXT ? `${text.slice(0, LONG_TEXT)}…` : text}</span>;
  }
  if (size <= LONG_TEXT) return <span className="json-string">{JSON.stringify(value)}</span>;
  return (
    <>
      {!isOpen && <span className="json-string">{JSON.stringify(value.slice(0, LONG_TEXT)).slice(0, -1)}…</span>}{" "}
      <span className="json-sign">{`${grouped(size)} characters`}</span>
    </>
  );
}

/** How many identifying members of an object are previewed, and the characters of each. */
const PREVIEWED = 3;
const PREVIEWED_CHARACTERS = 40;
/** How many members are examined for the preview. */
const LOOKED_AT = 12;

function previewOf(value: unknown): string {
  const parts: string[] = [];
  let looked = 0;
  for (const name in value as object) {
    looked += 1;
    if (looked > LOOKED_AT || parts.length === PREVIEWED) break;
    const member = (value as Readonly<Record<string, unknown>>)[name];
    const kind = kindOf(member);
    if (kind === "object" || kind === "array" || kind === "null" || member === "") continue;
    const text = exactNumber(member) ?? String(member);
    parts.push(`${name}: ${text.length > PREVIEWED_CHARACTERS ? `${text.slice(0, PREVIEWED_CHARACTERS)}…` : text}`);
  }
  return parts.join(", ");
}
