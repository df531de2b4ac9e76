/** The head of the lists: title, what to do, and the two sections of the screen as links. */
import type { ReactNode } from "react";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { keysTexts } from "../texts/keys.ts";
import { shellTexts } from "../texts/shell.ts";
import { Tabs } from "../kit/tabs.tsx";

const sections = [
  { name: "keys", title: keysTexts.tabs.keys, href: "/keys" },
  { name: "webhooks", title: keysTexts.tabs.webhooks, href: "/keys/webhooks" },
] as const;

export interface SectionHeadProps {
  readonly current: (typeof sections)[number]["name"];
  readonly actions?: ReactNode;
}

export function SectionHead({ current, actions }: SectionHeadProps) {
  return (
    <div>
      <ScreenHeader title={shellTexts.screens.keys} lead={keysTexts.lead} actions={actions} />
      <Tabs label={keysTexts.sections} tabs={sections} current={current} />
    </div>
  );
}
