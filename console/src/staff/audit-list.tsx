/** The audit log: who did what to whom, from where, newest first. */
import { useQuery } from "@tanstack/react-query";
import { Age } from "../kit/age.tsx";
import { Badge } from "../kit/badge.tsx";
import { CopyButton } from "../kit/copy-button.tsx";
import { Field, fieldTexts } from "../kit/field.tsx";
import { EmptyState, Loaded } from "../kit/loaded.tsx";
import { ShortId } from "../kit/person.tsx";
import { useUrlState } from "../kit/use-url-state.ts";
import { changedMembers } from "./changed-members.ts";
import { staffRequest, type AuditEntry } from "./staff-requests.ts";

const fields = [
  ["subject", "Subject"],
  ["actor", "Actor"],
  ["operation", "Operation"],
  ["requestId", "Request id"],
] as const;

interface Page {
  readonly data: readonly AuditEntry[];
  readonly next: number | null;
}

export function AuditList() {
  const [{ by, q, before }, change] = useUrlState({ by: "subject", q: "", before: "" });
  const parameters = new URLSearchParams();
  if (q !== "") parameters.set(fields.find(([name]) => name === by)?.[0] ?? "subject", q);
  if (before !== "") parameters.set("before", before);
  const query = useQuery({
    queryKey: ["staff", "audit", by, q, before],
    queryFn: () => staffRequest<Page>("GET", `audit?${parameters.toString()}`),
  });
  return (
    <div className="stack">
      <AuditFilter
        key={`${by} ${q}`}
        by={by}
        q={q}
        onSearch={(wanted) => change({ by: wanted.by, q: wanted.q, before: "" })}
      />
      <Loaded query={query}>
        {({ data, next }) =>
          data.length === 0 ? (
            <EmptyState title="No act matches" />
          ) : (
            <div className="stack">
              <ul className="key-rows" aria-label="Acts, newest first">
                {data.map((entry) => (
                  <AuditRow key={entry.seq} entry={entry} />
                ))}
              </ul>
              {(next !== null || before !== "") && (
                <p className="row wrap">
                  {before !== "" && (
                    <button type="button" onClick={() => change({ before: "" })}>
                      Newest acts
                    </button>
                  )}
                  {next !== null && (
                    <button type="button" onClick={() => change({ before: String(next) })}>
                      Older acts
                    </button>
                  )}
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
  readonly onSearch: (wanted: { readonly by: string; readonly q: string }) => void;
}

function AuditFilter({ by, q, onSearch }: AuditFilterProps) {
  return (
    <form
      className="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(fieldTexts(event.currentTarget, ["by", "q"]));
      }}
    >
      <div className="row wrap">
        <Field label="Search by">
          {(ids) => (
            <select name="by" defaultValue={by} {...ids}>
              {fields.map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Exact value">
          {(ids) => (
            <input
              type="search"
              name="q"
              defaultValue={q}
              maxLength={200}
              placeholder="such as staff_… or did:web:…"
              autoComplete="off"
              spellCheck={false}
              {...ids}
            />
          )}
        </Field>
        <button type="submit">Search</button>
      </div>
    </form>
  );
}

function AuditRow({ entry }: { readonly entry: AuditEntry }) {
  const { at, actor, actorName, network, operation, subject, subjectName, status, change, requestId } = entry;
  const members = changedMembers(change);
  return (
    <li className="key-row act">
      <div className="stack tight">
        <span className="row wrap">
          <strong>{operation}</strong> <Outcome status={status} />
        </span>
        <span className="small muted">
          <Age at={at} />, from {network}
        </span>
      </div>
      <div className="stack tight">
        <Named role="by" id={actor} name={actorName} />
        {subject !== null && subject !== actor && <Named role="on" id={subject} name={subjectName} />}
      </div>
      <div className="stack tight small">
        {members.length > 0 && (
          <ul className="act-changes">
            {members.map(({ name, before, after }) => (
              <li key={name}>
                <span className="muted">{name}</span> {before !== undefined && <del>{before}</del>}{" "}
                {after !== undefined && <ins>{after}</ins>}
              </li>
            ))}
          </ul>
        )}
        <span className="row small muted">
          <ShortId id={requestId} title={`Request ${requestId}`} />
          <CopyButton text={requestId} label="Copy the request id" />
        </span>
      </div>
    </li>
  );
}

function Outcome({ status }: Pick<AuditEntry, "status">) {
  if (status === null) return <Badge tone="warn">outcome unknown</Badge>;
  return status < 400 ? <Badge tone="ok">done</Badge> : <Badge tone="danger">refused: {status}</Badge>;
}

interface NamedProps {
  readonly role: "by" | "on";
  readonly id: string;
  readonly name: string | null;
}

/** A member of staff by name; others by their id. */
function Named({ role, id, name }: NamedProps) {
  return (
    <span className="row named">
      <span className="small muted">{role}</span>
      {name !== null && <span>{name}</span>}
      <ShortId id={id} />
      <CopyButton text={id} label={`Copy ${id}`} />
    </span>
  );
}
