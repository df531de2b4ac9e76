/** Reports that another user has changed a domain since it was read, and the changes. */
import { type ReactNode, useMemo } from "react";
import { ChangeList } from "../kit/change-list.tsx";
import { Icon } from "../kit/icon.tsx";
import type { Domain } from "./domain-record.ts";
import { recordChanges } from "./record-changes.ts";

interface ConflictNoticeProps {
  readonly seen: Domain;
  readonly newest: Domain;
  /** The next steps. */
  readonly children?: ReactNode;
}

export function ConflictNotice({ seen, newest, children }: ConflictNoticeProps) {
  const changes = useMemo(() => recordChanges(seen, newest), [seen, newest]);
  return (
    <div className="notice warn" role="alert">
      <Icon name="warning" />
      <div className="stack tight">
        <p>
          <strong>Someone else changed this domain in the meantime</strong>
        </p>
        <p>{`You saw version ${seen.version}; it is at version ${newest.version} now. Changes:`}</p>
        <ChangeList changes={changes} />
        {children}
      </div>
    </div>
  );
}
