/** Withdraws an open proposal: for its proposer and for admins, after a dialog that names the effect. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/api.ts";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { Field } from "../kit/field.tsx";
import { useRights } from "../session/use-caller.ts";
import { proposalTexts, votesTexts } from "../texts/votes.ts";
import type { Proposal } from "./proposal.ts";

/** Characters. */
const LONGEST_REASON = 2_000;

export function WithdrawButton({ proposal }: { readonly proposal: Proposal }) {
  const rights = useRights();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [idempotencyKey, setIdempotencyKey] = useState<string>();
  const [reason, setReason] = useState("");
  const { id: pid, kind, state, proposer, previousStatus } = proposal;
  const mayWithdraw = rights !== undefined && (rights.did === proposer || rights.isAdmin);
  if (state !== "open" || !mayWithdraw) return null;
  const withdraw = async (): Promise<void> => {
    const text = reason.trim();
    await api.POST("/v1/proposals/{pid}/withdraw", {
      params: { path: { pid }, header: { "Idempotency-Key": idempotencyKey ?? "" } },
      body: { reason: text === "" ? null : text },
    });
    await queries.invalidateQueries({ queryKey: ["get", "/v1/proposals/{pid}"] });
    announce("The proposal is withdrawn.");
  };
  return (
    <div>
      <button type="button" onClick={() => setIdempotencyKey(crypto.randomUUID())}>
        Withdraw the proposal
      </button>
      {idempotencyKey !== undefined && (
        <ConfirmDialog
          title="Withdraw this proposal?"
          effect={
            <div className="stack">
              <p>
                {kind === "verify"
                  ? `The vote ends without a result, and its votes do not count. The domain is ${votesTexts.statuses[previousStatus]} again. A new proposal can be opened at once.`
                  : "The vote ends without a result, and its votes do not count. The domain keeps its verification."}
              </p>
              <Field label={proposalTexts.reason} isOptional>
                {(ids) => (
                  <textarea
                    {...ids}
                    rows={2}
                    maxLength={LONGEST_REASON}
                    value={reason}
                    onChange={(event) => setReason(event.target.value)}
                  />
                )}
              </Field>
            </div>
          }
          action="Withdraw the proposal"
          onConfirm={withdraw}
          onClose={() => setIdempotencyKey(undefined)}
        />
      )}
    </div>
  );
}
