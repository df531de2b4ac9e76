/** One row of a JSON tree: its name, and its value or what it holds. */
import { jsonTreeTexts } from "../texts/json-tree.ts";
import { exactNumber } from "./exact-json.ts";
import { Icon } from "./icon.tsx";
import { kindOf, LONG_TEXT, SLICE, type JsonRow, type NodeRow } from "./json-rows.ts";

export function JsonRowContent({ row }: { readonly row: JsonRow }) {
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
    const said = kind === "array" ? jsonTreeTexts.items(size) : jsonTreeTexts.members(size);
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
      <span className="json-sign">{jsonTreeTexts.characters(size)}</span>
    </>
  );
}

/** Members that say which of many an object is, and characters of each. */
const PREVIEWED = 3;
const PREVIEWED_CHARACTERS = 40;
/** Members that are looked at for them. */
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
