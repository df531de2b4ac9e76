/** Chooses one of several hundred paths by typing: arrow keys go through what was found, Enter chooses, Escape keeps what was typed. */
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Field } from "../kit/field.tsx";
import { isComposing } from "../kit/is-composing.ts";
import { grouped, plural } from "../texts/number.ts";
import type { QueryPath } from "./gateway-catalogue.ts";
import { searchPaths } from "./path-search.ts";

/** Options that are drawn; the rest is found by typing. */
const SHOWN = 50;

export interface PathComboboxProps {
  readonly paths: readonly QueryPath[];
  readonly path: string;
  readonly hint: string;
  readonly error?: string | undefined;
  /** A listed path, or what was typed. */
  readonly onChoose: (choice: QueryPath | string) => void;
}

export function PathCombobox({ paths, path, hint, error, onChoose }: PathComboboxProps) {
  /** What is being typed; undefined when the field shows the path. */
  const [typed, setTyped] = useState<string>();
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const list = useId();
  const options = useRef<HTMLUListElement>(null);
  const found = useMemo(() => (isOpen ? searchPaths(paths, typed ?? "") : []), [isOpen, paths, typed]);
  const shown = found.slice(0, SHOWN);
  useEffect(() => {
    options.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const close = (): void => {
    setIsOpen(false);
    setActive(-1);
    setTyped(undefined);
  };
  const choose = (choice: QueryPath | string): void => {
    close();
    onChoose(choice);
  };
  const move = (by: number): void => {
    setIsOpen(true);
    setActive(isOpen ? (active + by + (active < 0 && by < 0 ? 1 : 0) + shown.length) % Math.max(1, shown.length) : 0);
  };
  const leave = (): void => {
    if (typed !== undefined && typed.trim() !== path) choose(typed);
    else close();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Escape" && isOpen) (typed?.trim() === "" ? close : leave)();
    else if (event.key === "Enter" && isOpen) {
      const option = shown[active];
      if (option === undefined && typed === undefined) return;
      choose(option ?? typed ?? path);
    } else return;
    event.preventDefault();
  };

  return (
    <div className="path-combobox">
      <Field label="Path" hint={hint} error={error}>
        {(ids) => (
          <input
            {...ids}
            type="text"
            role="combobox"
            className="code"
            value={typed ?? path}
            aria-expanded={isOpen}
            aria-controls={isOpen ? list : undefined}
            aria-autocomplete="list"
            aria-activedescendant={shown[active] === undefined ? undefined : `${list}-${active}`}
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            enterKeyHint="search"
            onChange={(event) => {
              setTyped(event.target.value);
              setIsOpen(true);
              setActive(-1);
            }}
            onClick={() => setIsOpen(true)}
            onFocus={(event) => event.target.select()}
            onKeyDown={onKeyDown}
            onBlur={leave}
          />
        )}
      </Field>
      <p className="hidden-visually" role="status">
        {isOpen ? plural(found.length, "path", "paths") : ""}
      </p>
      {isOpen && (
        // A press must not take the focus from the field, which would close the list before the press counts.
        <div className="path-options" onPointerDown={(event) => event.preventDefault()}>
          <ul id={list} ref={options} role="listbox" aria-label="Paths">
            {shown.map((option, index) => (
              <PathOption
                key={`${option.method} ${option.path}`}
                id={`${list}-${index}`}
                option={option}
                isActive={index === active}
                onChoose={choose}
              />
            ))}
          </ul>
          {found.length === 0 && (
            <p className="muted small">No listed path has these words. Enter sends what you typed as it is.</p>
          )}
          {found.length > SHOWN && (
            <p className="muted small">{`${grouped(found.length - SHOWN)} more. Type to narrow them down.`}</p>
          )}
        </div>
      )}
    </div>
  );
}

interface PathOptionProps {
  readonly id: string;
  readonly option: QueryPath;
  readonly isActive: boolean;
  readonly onChoose: (option: QueryPath) => void;
}

function PathOption({ id, option, isActive, onChoose }: PathOptionProps) {
  const { method, path, name, successor } = option;
  return (
    <li id={id} role="option" aria-selected={isActive} onClick={() => onChoose(option)}>
      <span>
        {method !== "GET" && <strong>{method} </strong>}
        <code>{path}</code>
      </span>
      <span className="muted small">
        {name} {successor !== undefined && <em>older release</em>}
      </span>
    </li>
  );
}
