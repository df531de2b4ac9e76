/** The three sections of the screen, as links. */
import { votesTexts } from "../texts/votes.ts";
import { Tabs } from "../kit/tabs.tsx";

const sections = [
  { name: "proposals", title: votesTexts.tabs.proposals, href: "/votes" },
  { name: "roll", title: votesTexts.tabs.roll, href: "/votes/roll" },
  { name: "audit", title: votesTexts.tabs.audit, href: "/votes/audit" },
] as const;

export function SectionTabs({ current }: { readonly current: (typeof sections)[number]["name"] }) {
  return <Tabs label={votesTexts.sections} tabs={sections} current={current} />;
}
