/** The three sections of the screen, as links. */
import { Tabs } from "../kit/screen-header.tsx";
import { votesTexts } from "../texts/votes.ts";

const sections = [
  { name: "proposals", title: votesTexts.tabs.proposals, href: "/votes" },
  { name: "roll", title: votesTexts.tabs.roll, href: "/votes/roll" },
  { name: "audit", title: votesTexts.tabs.audit, href: "/votes/audit" },
] as const;

export function SectionTabs({ current }: { readonly current: (typeof sections)[number]["name"] }) {
  return <Tabs label="Sections of this screen" tabs={sections} current={current} />;
}
