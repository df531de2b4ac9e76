/** docs/reference/roles.md is the table of roles in the code. */
import { expect, test } from "vitest";
import { operationRoles, roleSummaries, staffRoles } from "./roles.ts";

function rolesPage(): string {
  const columns = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rows = Object.entries(operationRoles).map(([operation, able]) =>
    columns([`\`${operation}\``, ...staffRoles.map((role) => (able.includes(role) ? "yes" : ""))]),
  );
  return [
    "# Roles of staff",
    "",
    "This page is generated from `platform/staff/roles.ts`. Rule ALL-47 of [the platform](platform.md#staff) says how the table is applied.",
    "Operations have the ids of the [OpenAPI documents](platform.md#api-documents); the last ones are routes of `/staff`.",
    "",
    ...staffRoles.map((role) => `- **${role}**: ${roleSummaries[role]}`),
    "",
    columns(["operation", ...staffRoles]),
    columns(["---", ...staffRoles.map(() => "---")]),
    ...rows,
    "",
  ].join("\n");
}

test("docs/reference/roles.md is generated from the table [ALL-47]", async () => {
  await expect(rolesPage()).toMatchFileSnapshot("../../docs/reference/roles.md");
});
