/** The head of the lists: title, what to do, and the two sections of the screen as links. */
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { keysTexts } from "../texts/keys.ts";
import { shellTexts } from "../texts/shell.ts";

const sections = [
  ["keys", "/keys"],
  ["webhooks", "/keys/webhooks"],
] as const;

export interface SectionHeadProps {
  readonly current: (typeof sections)[number][0];
  readonly actions?: ReactNode;
}

export function SectionHead({ current, actions }: SectionHeadProps) {
  return (
    <div>
      <ScreenHeader title={shellTexts.screens.keys} lead={keysTexts.lead} actions={actions} />
      <nav className="tabs" aria-label={keysTexts.sections}>
        {sections.map(([name, href]) => (
          <Link key={name} href={href} aria-current={name === current ? "page" : undefined}>
            {keysTexts.tabs[name]}
          </Link>
        ))}
      </nav>
    </div>
  );
}
