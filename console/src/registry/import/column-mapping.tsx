/** The target of each column of a table: guessed by its name, and editable here. */
import {
  type CsvMapping,
  type Member,
  type Target,
  mappingFaults,
  members,
  requiredMembers,
} from "../../files/csv-mapping.ts";
import { Field } from "../../kit/field.tsx";
import { importTexts } from "../../texts/registry.ts";

const { mapping: words } = importTexts;
/** Characters of a cell that are shown. */
const SHOWN_CELL = 60;

interface ColumnMappingProps {
  readonly mapping: CsvMapping;
  /** The cells of the first row after the header. */
  readonly example: readonly string[];
  readonly onChange: (mapping: CsvMapping) => void;
}

export function ColumnMapping({ mapping, example, onChange }: ColumnMappingProps) {
  const { columns, targets, everyRow } = mapping;
  const faults = mappingFaults(mapping);
  const missing = requiredMembers.filter((member) => !targets.includes(member));
  return (
    <section className="stack" aria-labelledby="mapping-heading">
      <div className="stack tight">
        <h2 id="mapping-heading">{words.title}</h2>
        <p className="muted small">{words.hint}</p>
      </div>
      {missing.map((member) => (
        <Field
          key={member}
          label={words.everyRow[member]}
          hint={words.everyRowHint[member]}
          error={
            faults.some((fault) => fault.kind === "missing" && fault.member === member)
              ? words.missing[member]
              : undefined
          }
        >
          {(ids) => (
            <input
              type="text"
              value={everyRow[member] ?? ""}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => onChange({ ...mapping, everyRow: { ...everyRow, [member]: event.target.value } })}
              {...ids}
            />
          )}
        </Field>
      ))}
      {faults.map(
        ({ kind, member }) =>
          kind === "twice" && (
            <p key={member} className="field-error" role="alert">
              {words.twice(words.members[member])}
            </p>
          ),
      )}
      {/* Scrolls by keyboard too. */}
      <div className="table-frame failures" tabIndex={0} role="group" aria-label={words.title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.column}</th>
              <th scope="col">{words.example}</th>
              <th scope="col">{words.fills}</th>
            </tr>
          </thead>
          <tbody>
            {columns.map((column, at) => {
              const name = column === "" ? words.unnamed(at + 1) : column;
              return (
                <tr key={at}>
                  <th scope="row" className="wraps">
                    {name}
                  </th>
                  <td className="wraps muted">{shortened(example[at] ?? "")}</td>
                  <td>
                    <select
                      aria-label={words.of(name)}
                      value={targets[at]}
                      onChange={(event) =>
                        onChange({ ...mapping, targets: targets.with(at, event.target.value as Target) })
                      }
                    >
                      <option value={"nothing" satisfies Target}>{words.nothing}</option>
                      {members.map((member: Member) => (
                        <option key={member} value={member}>
                          {words.members[member]}
                        </option>
                      ))}
                      {column !== "" && <option value={"ownName" satisfies Target}>{words.ownName(column)}</option>}
                    </select>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function shortened(cell: string): string {
  return cell.length > SHOWN_CELL ? `${cell.slice(0, SHOWN_CELL)}…` : cell;
}
