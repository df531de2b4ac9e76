/** The parts of a page as links: each has an address, and the open one is marked. */
import { Link } from "wouter";

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly href: string;
}

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The name of the open one. */
  readonly current: string;
  /** Choosing one adds no entry to the history. */
  readonly replaces?: boolean;
}

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
