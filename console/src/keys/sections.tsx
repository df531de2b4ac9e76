/** The head of the lists: title, actions, and links to the two sections of the screen. */
import type { ReactNode } from "react";
import { ScreenHeader, Tabs } from "../kit/screen-header.tsx";
import { shellTexts } from "../texts/shell.ts";

const tabs = { keys: "API keys", webhooks: "Webhooks" };

const sections = [
  { name: "keys", title: tabs.keys, href: "/keys" },
  { name: "webhooks", title: tabs.webhooks, href: "/keys/webhooks" },
] as const;

export interface SectionHeadProps {
  readonly current: (typeof sections)[number]["name"];
  readonly actions?: ReactNode;
}

export function SectionHead({ current, actions }: SectionHeadProps) {
  return (
    <div>
      <ScreenHeader
        title={shellTexts.screens.keys}
        lead="API keys that programs sign in with, and webhooks that receive changes."
        actions={actions}
      />
      <Tabs label="Keys and webhooks" tabs={sections} current={current} />
    </div>
  );
}

/** Milliseconds between two requests for the shown keys and webhooks, which are not in the change feed. */
export const REFRESH = 15_000;
