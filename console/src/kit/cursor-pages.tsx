/** The way through a list with cursors: on to the next page, or back to the first. The browser's back button goes one page back. */
import type { ReactNode } from "react";

export interface CursorPagesProps {
  /** Of the shown page; empty for the first. */
  readonly cursor: string;
  readonly next: string | null;
  /** The rows that are shown are those of the page before, so their cursor leads nowhere new. */
  readonly isOld?: boolean;
  /** What the two buttons are called, where a list has an order in time. */
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

/** Loads the next page below those that are there. */
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
