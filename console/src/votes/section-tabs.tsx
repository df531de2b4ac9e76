/** The three sections of the screen, as links. */
import { Link } from "wouter";
import { votesTexts } from "../texts/votes.ts";

const sections = [
  ["proposals", "/votes"],
  ["roll", "/votes/roll"],
  ["audit", "/votes/audit"],
] as const;

export function SectionTabs({ current }: { readonly current: (typeof sections)[number][0] }) {
  return (
    <nav className="tabs" aria-label={votesTexts.sections}>
      {sections.map(([name, href]) => (
        <Link key={name} href={href} aria-current={name === current ? "page" : undefined}>
          {votesTexts.tabs[name]}
        </Link>
      ))}
    </nav>
  );
}
