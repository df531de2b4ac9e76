/** Says that somebody else has changed a domain since it was read, and what they changed. */
import type { ReactNode } from "react";
import { Icon } from "../kit/icon.tsx";
import { domainTexts } from "../texts/registry-domain.ts";
import { ChangeList } from "./change-list.tsx";
import type { Domain } from "./domain-record.ts";
import { recordChanges } from "./record-changes.ts";

interface ConflictNoticeProps {
  readonly seen: Domain;
  readonly newest: Domain;
  /** What can be done now. */
  readonly children?: ReactNode;
}

export function ConflictNotice({ seen, newest, children }: ConflictNoticeProps) {
  return (
    <div className="notice warn" role="alert">
      <Icon name="warning" />
      <div className="stack tight">
        <p>
          <strong>{domainTexts.conflictTitle}</strong>
        </p>
        <p>{domainTexts.conflictLead(seen.version, newest.version)}</p>
        <ChangeList changes={recordChanges(seen, newest)} />
        {children}
      </div>
    </div>
  );
}
