/**
 * What a query has to show in each of its states: a skeleton while it loads, an error with what to do, and its data with its age
 * in words. Data that could not be refreshed stays, with a notice.
 */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { kitTexts } from "../texts/kit.ts";
import { Age } from "./age.tsx";
import { ErrorPanel } from "./error-panel.tsx";
import { Skeleton } from "./skeleton.tsx";

export interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data, unknown>;
  readonly children: (data: Data) => ReactNode;
  /** Shown while nothing is there; a few grey lines by default. */
  readonly loading?: ReactNode;
  /** Whether the age of the data stands below it. */
  readonly showsAge?: boolean;
}

export function Loaded<Data>({ query, children, loading, showsAge = true }: LoadedProps<Data>) {
  const { data, error, refetch, dataUpdatedAt } = query;
  if (data === undefined) {
    if (error !== null) return <ErrorPanel error={error} onRetry={refetch} />;
    return (
      <div role="status" aria-label={kitTexts.loading}>
        {loading ?? <Skeleton />}
      </div>
    );
  }
  return (
    <>
      {error !== null && (
        <div className="stack tight">
          <p className="muted small">This could not be refreshed; you see what was last received.</p>
          <ErrorPanel error={error} onRetry={refetch} />
        </div>
      )}
      {children(data)}
      {showsAge && <DataAge at={dataUpdatedAt} />}
    </>
  );
}

/** @param at milliseconds since 1970. */
export function DataAge({ at }: { readonly at: number }) {
  return (
    <p className="muted small data-age">
      {"As of"} <Age at={at} />
    </p>
  );
}
