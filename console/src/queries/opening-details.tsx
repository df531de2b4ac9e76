/** A part of the form that is closed until it is used; emptying a field in it does not close it again. */
import { useState, type ReactNode } from "react";

export interface OpeningDetailsProps {
  readonly summary: string;
  /** Opens it; the user may close it afterwards. */
  readonly isUsed: boolean;
  readonly children: ReactNode;
}

export function OpeningDetails({ summary, isUsed, children }: OpeningDetailsProps) {
  const [isOpen, setIsOpen] = useState(isUsed);
  const [wasUsed, setWasUsed] = useState(isUsed);
  if (isUsed !== wasUsed) {
    setWasUsed(isUsed);
    if (isUsed) setIsOpen(true);
  }
  return (
    <details className="query-part" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
