/** Shown in the place of a part whose file is missing: why it is missing, and what can be done. */
import { kitTexts } from "../texts/kit.ts";
import type { PageState } from "./page-version.ts";

export interface PartMissingProps {
  readonly missing: PageState;
  readonly onRetry: () => void;
}

export function PartMissing({ missing, onRetry }: PartMissingProps) {
  const isReplaced = missing === "replaced";
  return (
    <div className={`notice ${isReplaced ? "info" : "danger"}`} role="alert">
      <div className="stack tight">
        <p>{kitTexts.partMissing[missing]}</p>
        <p className="row wrap">
          {!isReplaced && (
            <button type="button" onClick={onRetry}>
              {kitTexts.retry}
            </button>
          )}
          {missing !== "away" && (
            <button type="button" className={isReplaced ? "primary" : ""} onClick={() => location.reload()}>
              {kitTexts.reload}
            </button>
          )}
        </p>
      </div>
    </div>
  );
}
