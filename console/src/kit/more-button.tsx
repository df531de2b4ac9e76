/** Loads the next page below those that are there. */
import type { ReactNode } from "react";

export interface MoreButtonProps {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly children: ReactNode;
}

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
