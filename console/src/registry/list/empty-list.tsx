/** An empty list, by its reason: nothing was created yet, nothing matches, or the page is past the end. */
import { Link } from "wouter";
import { EmptyState } from "../../kit/empty-state.tsx";
import { kitTexts } from "../../texts/kit.ts";
import { registryTexts } from "../../texts/registry.ts";

interface EmptyListProps {
  readonly isFiltered: boolean;
  readonly isFirst: boolean;
  readonly onReset: () => void;
  readonly onFirst: () => void;
}

export function EmptyList({ isFiltered, isFirst, onReset, onFirst }: EmptyListProps) {
  if (!isFirst)
    return (
      <EmptyState title={registryTexts.emptyPageTitle}>
        <p>{registryTexts.emptyPageLead}</p>
        <button type="button" className="primary" onClick={onFirst}>
          {kitTexts.firstPage}
        </button>
      </EmptyState>
    );
  if (isFiltered)
    return (
      <EmptyState title={registryTexts.noMatchTitle}>
        <p>{registryTexts.noMatchLead}</p>
        <button type="button" className="primary" onClick={onReset}>
          {registryTexts.resetFilters}
        </button>
      </EmptyState>
    );
  return (
    <EmptyState title={registryTexts.emptyTitle}>
      <p>{registryTexts.emptyLead}</p>
      <p className="row wrap">
        <Link href="/registry/new" className="button primary">
          {registryTexts.create}
        </Link>
        <Link href="/registry/import" className="button">
          {registryTexts.importCommand}
        </Link>
      </p>
    </EmptyState>
  );
}
