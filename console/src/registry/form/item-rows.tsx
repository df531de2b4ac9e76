/** The lists of a domain, item by item: each item is an object of the body, and members without a field here are kept. */
import { useId } from "react";
import { Field } from "../../kit/field.tsx";
import { ListError, Rows } from "../../kit/rows.tsx";
import { itemTexts } from "../../texts/registry.ts";
import { type Body, isBody, memberAt, withItems, withMember } from "./domain-draft.ts";
import { TextField } from "./draft-fields.tsx";
import { type ItemField, type ItemList, itemLists } from "./item-lists.ts";
import type { Draft } from "./use-draft.ts";

const remove = (name: string) => `Remove ${name}`;

const titleText = (count: number) => `Services, resources, credentials, accounts${count === 0 ? "" : ` (${count})`}`;

const optionsText = {
  false: "No",
  true: "Yes",
  unknown: "Unknown",
  active: "Active",
  suspended: "Suspended",
  revoked: "Revoked",
  expired: "Expired",
} as Readonly<Record<string, string>>;

export interface ItemListsProps {
  readonly draft: Draft;
  readonly errorAt: (place: string) => string | undefined;
}

export function ItemLists({ draft, errorAt }: ItemListsProps) {
  const counts = itemLists
    .map(({ path }) => memberAt(draft.body, path))
    .map((list) => (isList(list) ? list.length : 0));
  return (
    <details className="card">
      <summary>
        <h2>{titleText(counts.reduce((sum, count) => sum + count))}</h2>
      </summary>
      <div className="stack loose">
        {itemLists.map((list) => (
          <ItemRows key={list.name} list={list} draft={draft} errorAt={errorAt} />
        ))}
      </div>
    </details>
  );
}

interface ItemRowsProps extends ItemListsProps {
  readonly list: ItemList;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function ItemRows({ list, draft, errorAt }: ItemRowsProps) {
  const id = useId();
  const words = itemTexts.lists[list.name];
  const value = memberAt(draft.body, list.path) ?? [];
  const place = `/${list.path.join("/")}`;
  const listError = errorAt(place);
  const isPlain = isList(value) && value.every(isBody);
  const items: readonly Body[] = isPlain ? value : [];
  return (
    <section className="stack" aria-labelledby={id}>
      <div>
        <h3 id={id}>{words.title}</h3>
        <p className="hint">{words.lead}</p>
      </div>
      {isPlain ? (
        <Rows
          items={items}
          most={list.most}
          nameOf={words.one}
          addLabel={words.add}
          removeLabel={remove}
          error={listError}
          create={(): Body => list.create(items)}
          onChange={(changed) => draft.setBody(withItems(draft.body, list.path, changed))}
        >
          {(item, change, at) => (
            <div className="grid">
              {list.fields.map((field) => (
                <ItemInput
                  key={field.name}
                  field={field}
                  label={(words.labels as Readonly<Record<string, string>>)[field.name] ?? field.name}
                  hint={(words.hints as Readonly<Record<string, string>>)[field.name]}
                  error={errorAt(`${place}/${at}/${field.name}`)}
                  value={item[field.name]}
                  onChange={(entered) => change(withMember(item, [field.name], entered))}
                />
              ))}
            </div>
          )}
        </Rows>
      ) : (
        <>
          <p>This entry has a different structure. Edit it in the JSON below.</p>
          {listError !== undefined && <ListError>{listError}</ListError>}
        </>
      )}
    </section>
  );
}

interface ItemInputProps {
  readonly field: ItemField;
  readonly label: string;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function ItemInput({ field: { isOptional = false, options }, label, hint, error, value, onChange }: ItemInputProps) {
  if (options === undefined)
    return (
      <TextField label={label} hint={hint} isOptional={isOptional} error={error} value={value} onChange={onChange} />
    );
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <select
          {...ids}
          value={typeof value === "string" ? value : options[0]}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map((option) => (
            <option key={option} value={option}>
              {optionsText[option]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
