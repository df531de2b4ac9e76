/** A list that is edited item by item. Adding an item moves the focus to its first field, removing one to the add button. */
import { useEffect, useId, useRef, type ReactNode } from "react";
import { Icon } from "./icon.tsx";

export interface RowsProps<Item> {
  readonly items: readonly Item[];
  /** The server's maximum number of items. */
  readonly most: number;
  /** The name of an item, by its number. */
  readonly nameOf: (number: number) => string;
  readonly addLabel: string;
  readonly removeLabel: (name: string) => string;
  /** The error of the whole list. */
  readonly error?: string | undefined;
  /** A new one. */
  readonly create: () => Item;
  readonly onChange: (items: readonly Item[]) => void;
  /** The fields of an item. */
  readonly children: (item: Item, change: (changed: Item) => void, at: number) => ReactNode;
}

export function Rows<Item>(props: RowsProps<Item>) {
  const { items, most, nameOf, addLabel, removeLabel, error, create, onChange, children } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const focused = useRef<"last" | "add">(undefined);
  useEffect(() => {
    if (focused.current === "add") list.current?.querySelector<HTMLElement>(":scope > p > button")?.focus();
    if (focused.current === "last")
      [...(list.current?.children ?? [])]
        .at(items.length - 1)
        ?.querySelector<HTMLElement>("input, select, textarea")
        ?.focus();
    focused.current = undefined;
  }, [items.length]);
  const change = (where: "last" | "add", changed: readonly Item[]): void => {
    focused.current = where;
    onChange(changed);
  };
  return (
    <div ref={list} className="stack">
      {items.map((item, at) => {
        const name = nameOf(at + 1);
        return (
          <div key={at} role="group" aria-labelledby={`${id}-${at}`} className="form-row">
            <div className="row spread">
              <strong id={`${id}-${at}`}>{name}</strong>
              <button
                type="button"
                className="ghost small"
                aria-label={removeLabel(name)}
                title={removeLabel(name)}
                onClick={() =>
                  change(
                    "add",
                    items.filter((_, index) => index !== at),
                  )
                }
              >
                <Icon name="trash" />
              </button>
            </div>
            {children(item, (changed) => onChange(items.with(at, changed)), at)}
          </div>
        );
      })}
      {error !== undefined && <ListError>{error}</ListError>}
      {items.length < most && (
        <p>
          <button type="button" onClick={() => change("last", [...items, create()])}>
            <Icon name="plus" /> {addLabel}
          </button>
        </p>
      )}
    </div>
  );
}

/** The error of a whole list. */
export function ListError({ children }: { readonly children: ReactNode }) {
  return (
    <p className="field-error" tabIndex={-1}>
      {children}
    </p>
  );
}
