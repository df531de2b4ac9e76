/** The head of a screen: its title (which names the browser's tab too), a line below it, and its actions. */
import { useEffect, type ReactNode } from "react";
import { shellTexts } from "../texts/shell.ts";

export interface ScreenHeaderProps {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Buttons and links, the most important last. */
  readonly actions?: ReactNode;
  /** Above the title: the way back. */
  readonly trail?: ReactNode;
}

export function ScreenHeader({ title, lead, actions, trail }: ScreenHeaderProps) {
  useEffect(() => {
    document.title = `${title} · ${shellTexts.product}`;
  }, [title]);
  return (
    <header className="screen-header">
      {trail}
      <h1>{title}</h1>
      {lead !== undefined && <p className="lead">{lead}</p>}
      {actions !== undefined && <div className="row wrap actions">{actions}</div>}
    </header>
  );
}
