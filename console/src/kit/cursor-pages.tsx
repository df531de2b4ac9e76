/** Navigation through a list with cursors: to the next page, or back to the first. The browser's back button goes one page back. */
import type { ReactNode } from "react";

export interface CursorPagesProps {
  /** The shown page's cursor; empty for the first page. */
  readonly cursor: string;
  readonly next: string | null;
  /** The shown rows are still the previous page's, so their cursor is outdated. */
  readonly isOld?: boolean;
  /** Labels of the two buttons, for a list ordered by time. */
  readonly labels?: { readonly first: string; readonly next: string };
  readonly onChange: (cursor: string) => void;
}

const usualLabels = { first: "First page", next: "Next page" };

export function CursorPages({ cursor, next, isOld = false, labels = usualLabels, onChange }: CursorPagesProps) {
  if (cursor === "" && next === null) return null;
  return (
    <div className="row wrap">
      {cursor !== "" && (
        <button type="button" onClick={() => onChange("")}>
          {labels.first}
        </button>
      )}
      {next !== null && (
        <button type="button" aria-disabled={isOld} onClick={() => !isOld && onChange(next)}>
          {labels.next}
        </button>
      )}
    </div>
  );
}

export interface MoreButtonProps {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly children: ReactNode;
}

/** Loads the next page below the existing rows. */
export function MoreButton({ query: { hasNextPage, isFetchingNextPage, fetchNextPage }, children }: MoreButtonProps) {
  if (!hasNextPage) return null;
  return (
    <p>
      <button
        type="button"
        aria-disabled={isFetchingNextPage}
        onClick={() => !isFetchingNextPage && void fetchNextPage()}
      >
        {children}
      </button>
    </p>
  );
}
