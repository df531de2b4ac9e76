/** All declarations of stored data, and the section of docs/data-protection.md that is generated from them. */
import { socketData } from "../../../durable-objects/chat-session/sockets/stored-data.ts";
import { creditLedgerData } from "../../../durable-objects/credit-ledger/stored-data.ts";
import { metricData } from "../../../durable-objects/metric-store/stored-data.ts";
import { outboxData } from "../../../durable-objects/outbox/stored-data.ts";
import { rateLimiterData } from "../../../durable-objects/rate-limiter/stored-data.ts";
import { userVaultData } from "../../../durable-objects/user-vault/stored-data.ts";
import { phoneSessionData } from "../../../durable-objects/ussd-session/session/stored-data.ts";
import { attachmentFiles, attachmentValues } from "../../../oracle/plugins/attachments/stored-data.ts";
import { callValues } from "../../../oracle/plugins/calls/stored-data.ts";
import { claimsData } from "../../../oracle/plugins/credits/stored-data.ts";
import { mcpValues } from "../../../oracle/plugins/mcp/stored-data.ts";
import { memoryVectors } from "../../../oracle/plugins/memory/stored-data.ts";
import { slackValues } from "../../../oracle/plugins/slack/stored-data.ts";
import { preferencesData } from "../../../oracle/plugins/user-preferences/stored-data.ts";
import { chatSessionData } from "../../../oracle/runs/stored-data.ts";
import type { Holding, Person, PersonalData, StoredData } from "../../../platform/stored-data.ts";
import { erasureData } from "../../../workers/oracle/personal-data/stored-data.ts";
import { registryData } from "../../../workers/registry/store/stored-data.ts";
import { backupData } from "../../../workers/staff/backup/stored-data.ts";
import { staffData } from "../../../workers/staff/stored-data.ts";
import { phoneData } from "../../../workers/ussd/accounts/stored-data.ts";
import { markdownTable } from "./markdown-table.ts";

export const declarations: readonly StoredData[] = [
  chatSessionData,
  socketData,
  userVaultData,
  attachmentValues,
  callValues,
  mcpValues,
  slackValues,
  attachmentFiles,
  memoryVectors,
  preferencesData,
  creditLedgerData,
  claimsData,
  erasureData,
  phoneData,
  phoneSessionData,
  outboxData,
  rateLimiterData,
  registryData,
  staffData,
  backupData,
  metricData,
];

export interface DeclaredHolding {
  readonly place: string;
  readonly name: string;
  readonly holding: Holding;
}

export const holdings: readonly DeclaredHolding[] = declarations.flatMap(({ place, holdings }) =>
  Object.entries(holdings).map(([name, holding]) => ({ place, name, holding })),
);

/** The names that are declared for a place, sorted. */
export function declaredIn(place: string): readonly string[] {
  return holdings.flatMap((each) => (each.place === place ? [each.name] : [])).toSorted();
}

const titles: Readonly<Record<Person, string>> = {
  "chat user": "Chat users",
  "phone customer": "Phone customers",
  "registry user": "People in the registry",
  staff: "Staff",
  address: "Client addresses",
};

const BEGIN =
  "<!-- Generated from the files stored-data.ts: npx vitest run --project unit platform/stored-data --update -->";
const END = "<!-- End of the generated part. -->";

/** The document with its generated part renewed. */
export function withStoredData(document: string): string {
  const [before = "", rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error("docs/data-protection.md has no generated part");
  return [before, BEGIN, "\n\n", section(), "\n\n", END, after].join("");
}

function section(): string {
  const people = Object.entries(titles) as [Person, string][];
  return [
    ...people.flatMap(([person, title]) => [`### ${title}`, tableOf(person)]),
    "### Other data",
    markdownTable([
      ["place", "name", "holds"],
      ...holdings.flatMap(({ place, name, holding }) =>
        typeof holding === "string" ? [[`\`${place}\``, `\`${name}\``, holding]] : [],
      ),
    ]),
  ].join("\n\n");
}

function tableOf(person: Person): string {
  return markdownTable([
    ["data", "place", "purpose", "kept", "when the person is erased"],
    ...holdings.flatMap(({ place, name, holding }) =>
      isAbout(holding, person)
        ? [[holding.holds, `\`${place}\`: \`${name}\``, holding.why, holding.kept, holding.erased]]
        : [],
    ),
  ]);
}

function isAbout(holding: Holding, person: Person): holding is PersonalData {
  return typeof holding !== "string" && holding.about.includes(person);
}
