/** The way through a list with cursors: on to the next page, or back to the first. The browser's back button goes one page back. */
import { kitTexts } from "../texts/kit.ts";

export interface CursorPagesProps {
  /** Of the shown page; empty for the first. */
  readonly cursor: string;
  readonly next: string | null;
  /** The page that is shown is one before: its cursor belongs to other filters. */
  readonly isOld?: boolean;
  readonly onChange: (cursor: string) => void;
}

export function CursorPages({ cursor, next, isOld = false, onChange }: CursorPagesProps) {
  if (cursor === "" && next === null) return null;
  return (
    <div className="row wrap">
      {cursor !== "" && (
        <button type="button" onClick={() => onChange("")}>
          {kitTexts.firstPage}
        </button>
      )}
      {next !== null && (
        <button type="button" aria-disabled={isOld} onClick={() => !isOld && onChange(next)}>
          {kitTexts.next}
        </button>
      )}
    </div>
  );
}
