/** The head of a screen: its title (also the title of the browser tab), a line below it, and its actions. */
import { type ReactNode, useEffect } from "react";
import { Link } from "wouter";
import { shellTexts } from "../texts/shell.ts";
import { Icon } from "./icon.tsx";

export interface ScreenHeaderProps {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Buttons and links, the most important last. */
  readonly actions?: ReactNode;
  /** Above the title: the link back. */
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

/** The link to the parent of a page, above its title. */
export function BackLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <Link href={href} className="trail">
      <Icon name="back" />
      {children}
    </Link>
  );
}

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly href: string;
}

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The name of the current one. */
  readonly current: string;
  /** Selecting one adds no entry to the history. */
  readonly replaces?: boolean;
}

/** The parts of a page as links: each has an address, and the current one is marked. */
export function Tabs({ label, tabs, current, replaces = false }: TabsProps) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ name, title, href }) => (
        <Link key={name} href={href} replace={replaces} aria-current={name === current ? "page" : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
