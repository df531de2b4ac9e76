/** A table to fill in: the columns that most programmes need, and one example. */
import { members, type Member } from "../../files/csv-mapping.ts";
import { BYTE_ORDER_MARK, csvRow } from "../../kit/csv-text.ts";
import { saveFile } from "../../kit/save-file.ts";
import { importTexts } from "../../texts/registry-import.ts";

const example: Readonly<Partial<Record<Member, string>>> = {
  name: "Kibera Clean Stoves",
  description: "2,000 stoves for households in Kibera",
  type: "Project",
  class: "did:ixo:protocol/clean-cooking",
  externalId: "KE-0042",
  validFrom: "2026-01-01",
  validUntil: "2030-12-31",
};

function csvTemplate(): string {
  const columns = members.filter((member) => example[member] !== undefined);
  return `${BYTE_ORDER_MARK}${csvRow(columns)}${csvRow(columns.map((member) => example[member] ?? ""))}`;
}

export function saveTemplate(): void {
  saveFile(importTexts.templateName, "text/csv;charset=utf-8", csvTemplate());
}
