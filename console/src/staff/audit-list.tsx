/** The audit log: who did what to whom, from where, newest first. */
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Age } from "../kit/age.tsx";
import { EmptyState, Loaded } from "../kit/loaded.tsx";
import { useUrlState } from "../kit/use-url-state.ts";
import { staffRequest, type AuditEntry } from "./staff-requests.ts";

const fields = { subject: "Subject", actor: "Actor", operation: "Operation", requestId: "Request id" } as const;
type FieldName = keyof typeof fields;

interface Page {
  readonly data: readonly AuditEntry[];
  readonly next: number | null;
}

export function AuditList() {
  const [{ by, q, before }, change] = useUrlState({ by: "subject", q: "", before: "" });
  const parameters = new URLSearchParams();
  if (q !== "" && by in fields) parameters.set(by, q);
  if (before !== "") parameters.set("before", before);
  const query = useQuery({
    queryKey: ["staff", "audit", by, q, before],
    queryFn: () => staffRequest<Page>("GET", `audit?${parameters.toString()}`),
  });
  return (
    <div className="stack">
      <AuditFilter by={by} q={q} onChange={(next) => change({ by: next.by, q: next.q, before: "" })} />
      <Loaded query={query}>
        {({ data, next }) =>
          data.length === 0 ? (
            <EmptyState title="No act matches" />
          ) : (
            <div className="stack">
              <div className="table-frame">
                <table>
                  <caption className="hidden-visually">Acts, newest first</caption>
                  <thead>
                    <tr>
                      {["When", "Actor", "From", "Operation", "Subject", "Result", "Change"].map((title) => (
                        <th key={title} scope="col">
                          {title}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {data.map((entry) => (
                      <AuditRow key={entry.seq} entry={entry} />
                    ))}
                  </tbody>
                </table>
              </div>
              {next !== null && (
                <p>
                  <button type="button" onClick={() => change({ before: String(next) })}>
                    Older acts
                  </button>
                </p>
              )}
            </div>
          )
        }
      </Loaded>
    </div>
  );
}

interface AuditFilterProps {
  readonly by: string;
  readonly q: string;
  readonly onChange: (next: { readonly by: string; readonly q: string }) => void;
}

function AuditFilter({ by, q, onChange }: AuditFilterProps) {
  const [what, text] = [useId(), useId()];
  return (
    <p className="row wrap">
      <label htmlFor={what}>Search by</label>
      <select id={what} value={by} onChange={(event) => onChange({ by: event.currentTarget.value, q })}>
        {(Object.keys(fields) as FieldName[]).map((name) => (
          <option key={name} value={name}>
            {fields[name]}
          </option>
        ))}
      </select>
      <label htmlFor={text} className="hidden-visually">
        Search text
      </label>
      <input
        id={text}
        type="search"
        value={q}
        onChange={(event) => onChange({ by, q: event.currentTarget.value.trim() })}
      />
    </p>
  );
}

function AuditRow({ entry }: { readonly entry: AuditEntry }) {
  const { at, actor, network, operation, subject, status, change, requestId } = entry;
  return (
    <tr title={`Request ${requestId}`}>
      <td>
        <Age at={at} />
      </td>
      <td>
        <code>{actor}</code>
      </td>
      <td>{network}</td>
      <td>{operation}</td>
      <td>
        <code>{subject ?? ""}</code>
      </td>
      <td>{status ?? "unknown"}</td>
      <td>
        <code>{change === null ? "" : JSON.stringify(change)}</code>
      </td>
    </tr>
  );
}
