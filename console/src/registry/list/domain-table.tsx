/** The rows of a page: a table where there is room, and one card a domain on a narrow screen (registry.css). */
import { Link } from "wouter";
import { Age } from "../../kit/age.tsx";
import { domainHref } from "../../kit/addresses.ts";
import { ShortId } from "../../kit/did-text.tsx";
import { typeName } from "../../texts/domain-types.ts";
import { registryTexts } from "../../texts/registry.ts";
import { StatusBadge, VerificationBadge } from "../domain-badges.tsx";
import { nameOf, type Domain } from "../domain-record.ts";

const { columns } = registryTexts;

/** The order that a press on a column's head asks for first, and the opposite one. */
const sortable = {
  name: ["name", "-name"],
  type: ["type", "-type"],
  updated: ["-updatedAt", "updatedAt"],
} as const;

interface DomainTableProps {
  readonly domains: readonly Domain[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

export function DomainTable({ domains, sort, onSort }: DomainTableProps) {
  return (
    <div className="table-frame domain-table">
      {/* The roles stay when the style sheet turns rows into cards. */}
      <table role="table" aria-label={registryTexts.tableName}>
        <thead role="rowgroup">
          <tr role="row">
            {(Object.keys(columns) as (keyof typeof columns)[]).map((column) => (
              <th key={column} role="columnheader" scope="col" aria-sort={directionOf(column, sort)}>
                {column in sortable ? (
                  <button
                    type="button"
                    className="sort"
                    onClick={() => onSort(nextSort(column as keyof typeof sortable, sort))}
                  >
                    {columns[column]}
                  </button>
                ) : (
                  columns[column]
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {domains.map((domain) => (
            <tr key={domain.id} role="row">
              <td role="cell" className="domain-name">
                <div>
                  <Link href={domainHref(domain.id)}>{nameOf(domain)}</Link>
                  <span className="muted small">
                    <ShortId id={domain.id} />
                  </span>
                </div>
              </td>
              <td role="cell">{typeName(domain.type)}</td>
              <td role="cell">
                <VerificationBadge domain={domain} />
              </td>
              <td role="cell" className={domain.status === "active" ? "usual" : undefined}>
                <StatusBadge status={domain.status} />
              </td>
              <td role="cell" className="muted">
                <Age at={domain.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function nextSort(column: keyof typeof sortable, sort: string): string {
  const [first, opposite] = sortable[column];
  return sort === first ? opposite : first;
}

function directionOf(column: string, sort: string): "ascending" | "descending" | undefined {
  const orders: readonly string[] = column in sortable ? sortable[column as keyof typeof sortable] : [];
  if (!orders.includes(sort)) return undefined;
  return sort.startsWith("-") ? "descending" : "ascending";
}
