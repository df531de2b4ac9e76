/** Turns the pages of the list. The address has the cursors of earlier pages, so that "previous" also works after opening a link. */
import { useId } from "react";
import { Icon } from "../../kit/icon.tsx";
import { kitTexts } from "../../texts/kit.ts";
import { registryTexts } from "../../texts/registry.ts";
import { firstPage, nextPage, pageNumber, pageSizes, previousPage, type ListState } from "./list-address.ts";

interface ListPagesProps {
  readonly state: ListState;
  readonly page: { readonly limit: number; readonly nextCursor: string | null; readonly total?: number };
  readonly isLoading: boolean;
  readonly onChange: (changed: Partial<ListState>) => void;
}

export function ListPages({ state, page, isLoading, onChange }: ListPagesProps) {
  const number = pageNumber(state);
  const { nextCursor, total } = page;
  const before = previousPage(state);
  const size = useId();
  const turn = (to: Partial<ListState>): void => {
    onChange(to);
    document.querySelector("main")?.scrollIntoView();
  };
  return (
    <div className="row wrap spread list-pages">
      <p className="muted" role="status">
        {isLoading ? registryTexts.loadingPage : total !== undefined && registryTexts.total(total)}
      </p>
      <div className="row page-size">
        <label htmlFor={size} className="muted">
          {registryTexts.pageSize}
        </label>
        <select id={size} value={page.limit} onChange={(event) => turn({ ...firstPage, limit: event.target.value })}>
          {pageSizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </div>
      <nav className="row wrap" aria-label={registryTexts.pages}>
        {number > 2 && (
          <button type="button" className="ghost" onClick={() => turn(firstPage)}>
            {kitTexts.firstPage}
          </button>
        )}
        <button
          type="button"
          aria-label={kitTexts.previous}
          aria-disabled={before === undefined}
          onClick={() => before !== undefined && turn(before)}
        >
          <Icon name="back" />
        </button>
        <span className="nowrap">
          {registryTexts.page(
            number,
            total === undefined ? undefined : Math.max(number, Math.ceil(total / page.limit)),
          )}
        </span>
        <button
          type="button"
          aria-label={kitTexts.next}
          aria-disabled={nextCursor === null || isLoading}
          onClick={() => nextCursor !== null && !isLoading && turn(nextPage(state, nextCursor))}
        >
          <Icon name="chevron" />
        </button>
      </nav>
    </div>
  );
}
