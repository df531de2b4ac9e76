/** A database with rows of every kind that a copy has to keep: texts in many scripts, null, empty texts, large numbers. */
import type { DatabaseSync } from "node:sqlite";
import { syntheticLines } from "../../../bench/synthetic-domains.ts";

const NAMES = [null, "", "Hà Nội 🌍", 'says "quoted"\n\t\\', "São Paulo ".repeat(50), "e\u0301"];

/** Every tenth domain has a proposal with votes and a customer. */
export function fillRegistry(database: DatabaseSync, domains: number): void {
  const insert = (table: string, row: Readonly<Record<string, string | number | bigint | null>>): void => {
    const columns = Object.keys(row);
    database
      .prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
      .run(...Object.values(row));
  };
  database.exec("BEGIN");
  let number = 0;
  for (const line of syntheticLines(domains)) {
    number += 1;
    const id = `did:ixo:entity:${((number * 7919) % 1_000_003).toString(16).padStart(32, "0")}`;
    const name = NAMES[number % NAMES.length] ?? null;
    const at = 1_700_000_000_000 + number;
    insert("domains", {
      number,
      id,
      type: "Stove",
      type_key: "stove",
      class: "did:ixo:protocol/water",
      name,
      metadata: line.trim(),
      owner: `did:web:owner-${number % 7}.example`,
      controllers: "[]",
      valid_until_ms: number % 3 === 0 ? 9_007_199_254_740_993n : null,
      status: "active",
      verification_status: "AwaitingVerification",
      services: "[]",
      document: "{}",
      credentials: "[]",
      accounts: "[]",
      version: 2,
      version_id: `v-${number}`,
      created_at: at,
      updated_at: at,
    });
    insert("domain_controllers", { did: `did:web:controller-${number % 5}.example`, created_at: at, domain_id: id });
    for (const version of [1, 2]) {
      const entry = {
        domain_id: id,
        version,
        version_id: `v-${number}-${version}`,
        at,
        actor: "did:web:a",
        action: "update",
      };
      insert("domain_history", { ...entry, changes: "[]", snapshot: JSON.stringify({ name, line }) });
      insert("changes", { domain_id: id, version });
    }
    insert("domain_search", { rowid: number, name: name ?? "", text: line });
    if (number % 10 === 0) fillGovernance(insert, number, id);
  }
  // The newest entries are gone, and their numbers are not given again.
  database.exec("DELETE FROM audit_log WHERE id > 2");
  database.exec("COMMIT");
}

type Insert = (table: string, row: Readonly<Record<string, string | number | bigint | null>>) => void;

function fillGovernance(insert: Insert, number: number, domain: string): void {
  const did = `did:web:voter-${number}.example`;
  insert("voters", { did, weight: number, label: number % 20 === 0 ? null : "", added_at: 1, updated_at: 1 });
  insert("proposals", {
    id: `proposal-${number}`,
    domain_id: domain,
    kind: "verify",
    title: "Vérifier",
    summary: "",
    proposer: did,
    proposer_role: "program",
    state: "open",
    rules: "{}",
    total_power: 3,
    created_at: number,
    ends_at: 2,
    due_at: 2,
    previous_status: "AwaitingVerification",
  });
  insert("votes", {
    proposal_id: `proposal-${number}`,
    voter: did,
    option: "yes",
    power: 1,
    rationale: null,
    cast_at: 1,
  });
  insert("phones", { id: number, phone_e164: `+26097${number}`, first_seen: 1, last_seen: 1, visits: 1 });
  const account = {
    customer_id: `C${number}`,
    full_name: "Ñandú",
    creation_key: `key-${number}`,
    created_at: 1,
    updated_at: 1,
  };
  insert("customers", { id: number, ...account });
  insert("customer_phones", { customer_id: number, phone_id: number, is_primary: 1 });
  insert("audit_log", { at: number, event: "created", detail: "{}" });
}
