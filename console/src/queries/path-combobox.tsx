/**
 * Selects one of several hundred paths by typing: arrow keys move through the results, Enter selects, Escape keeps the typed text.
 */
import { Autocomplete } from "@base-ui/react/autocomplete";
import { useMemo, useState } from "react";
import { Field } from "../kit/field.tsx";
import { isComposing } from "../kit/is-composing.ts";
import { grouped, plural } from "../texts/number.ts";
import type { QueryPath } from "./gateway-catalogue.ts";
import { searchPaths } from "./path-search.ts";

/** Maximum options shown; others are found by typing. */
const SHOWN = 50;

export interface PathComboboxProps {
  readonly paths: readonly QueryPath[];
  readonly path: string;
  readonly hint: string;
  readonly error?: string | undefined;
  /** A listed path, or the typed text. */
  readonly onChoose: (choice: QueryPath | string) => void;
}

export function PathCombobox({ paths, path, hint, error, onChoose }: PathComboboxProps) {
  /** The text being typed; undefined while the field shows the path. */
  const [typed, setTyped] = useState<string>();
  const [isOpen, setIsOpen] = useState(false);
  const [highlighted, setHighlighted] = useState<QueryPath>();
  const found = useMemo(() => (isOpen ? searchPaths(paths, typed ?? "") : []), [isOpen, paths, typed]);
  const shown = found.slice(0, SHOWN);
  const close = (): void => {
    setIsOpen(false);
    setTyped(undefined);
  };
  const choose = (choice: QueryPath | string): void => {
    close();
    onChoose(choice);
  };
  const leave = (): void => {
    if (typed !== undefined && typed.trim() !== "" && typed.trim() !== path) choose(typed);
    else close();
  };
  return (
    <div className="path-combobox">
      <Autocomplete.Root
        items={shown}
        filter={null}
        open={isOpen}
        openOnInputClick
        value={typed ?? path}
        itemToStringValue={pathOf}
        onOpenChange={(willOpen, { reason }) => {
          if (willOpen) setIsOpen(true);
          // A pressed option is chosen at once.
          else if (reason !== "item-press") leave();
        }}
        onItemHighlighted={setHighlighted}
        onValueChange={(value, { reason }) => {
          if (reason !== "input-change") return;
          setTyped(value);
          setIsOpen(true);
        }}
      >
        <Field label="Path" hint={hint} error={error}>
          {(ids) => (
            <Autocomplete.Input
              {...ids}
              className="code"
              autoCapitalize="none"
              autoCorrect="off"
              spellCheck={false}
              enterKeyHint="search"
              onFocus={(event) => event.target.select()}
              onBlur={() => {
                if (isOpen) leave();
              }}
              onKeyDown={(event) => {
                if (isComposing(event)) event.preventBaseUIHandler();
                // Without an option, Enter takes the typed text.
                else if (event.key === "Enter" && isOpen && highlighted === undefined) {
                  event.preventBaseUIHandler();
                  if (typed === undefined) return;
                  event.preventDefault();
                  choose(typed);
                }
              }}
            />
          )}
        </Field>
        <Autocomplete.Status className="hidden-visually">
          {isOpen ? plural(found.length, "path", "paths") : ""}
        </Autocomplete.Status>
        {isOpen && (
          <div className="path-options">
            <Autocomplete.List aria-label="Paths">
              {(option: QueryPath) => (
                <PathOption key={`${option.method} ${option.path}`} option={option} onChoose={choose} />
              )}
            </Autocomplete.List>
            {found.length === 0 && (
              <p className="muted small">
                No listed path contains these words. Press Enter to send the path as you typed it.
              </p>
            )}
            {found.length > SHOWN && (
              <p className="muted small">{`${grouped(found.length - SHOWN)} more. Type more to narrow the list.`}</p>
            )}
          </div>
        )}
      </Autocomplete.Root>
    </div>
  );
}

function pathOf({ path }: QueryPath): string {
  return path;
}

interface PathOptionProps {
  readonly option: QueryPath;
  readonly onChoose: (option: QueryPath) => void;
}

function PathOption({ option, onChoose }: PathOptionProps) {
  const { method, path, name, successor } = option;
  return (
    <Autocomplete.Item value={option} onClick={() => onChoose(option)}>
      <span>
        {method !== "GET" && <strong>{method} </strong>}
        <code>{path}</code>
      </span>
      <span className="muted small">
        {name} {successor !== undefined && <em>older release</em>}
      </span>
    </Autocomplete.Item>
  );
}
