import { expect, test } from "vitest";
import { CHAIN_START, checkChain, nextDigest, type AuditRow, type SealedRow } from "./audit-chain.ts";

async function sealed(count: number): Promise<readonly SealedRow[]> {
  let digest = CHAIN_START;
  const rows: SealedRow[] = [];
  for (let seq = 1; seq <= count; seq += 1) {
    const row: AuditRow = {
      seq,
      act: `a${seq}`,
      phase: "done",
      at: seq,
      actor: "staff_1",
      network: "192.0.2.1",
      operation: "putVoter",
      subject: "did:a:b",
      requestId: "r",
      status: 200,
      change: '{"after":{"weight":3}}',
    };
    digest = await nextDigest(digest, row);
    rows.push({ ...row, digest });
  }
  return rows;
}

const start = { seq: 0, digest: CHAIN_START };

test("a chain is checked in parts [ALL-54]", async () => {
  const rows = await sealed(4);
  const half = await checkChain(start, rows.slice(0, 2));
  expect(half).toEqual({ seq: 2, digest: rows[1]?.digest });
  if ("kind" in half) throw new Error("the first half has no fault");
  expect(await checkChain(half, rows.slice(2))).toEqual({ seq: 4, digest: rows[3]?.digest });
});

test("a changed, missing or unsealed row is named [ALL-54]", async () => {
  const rows = await sealed(4);
  const changed = rows.map((row) => (row.seq === 2 ? { ...row, actor: "staff_2" } : row));
  expect(await checkChain(start, changed)).toEqual({ seq: 2, kind: "changed" });
  const missing = rows.filter(({ seq }) => seq !== 3);
  expect(await checkChain(start, missing)).toEqual({ seq: 3, kind: "missing" });
  const unsealed = rows.map((row) => (row.seq === 2 ? { ...row, digest: null } : row));
  expect(await checkChain(start, unsealed)).toEqual({ seq: 2, kind: "unsealed" });
  const waiting = rows.map((row) => (row.seq >= 3 ? { ...row, digest: null } : row));
  expect(await checkChain(start, waiting)).toMatchObject({ seq: 4, unsealedSince: 3 });
});
