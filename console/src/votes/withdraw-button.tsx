/** Withdraws an open proposal: for its proposer and for admins, after a dialog that names the effect. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/api.ts";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/confirm-dialog.tsx";
import { Field } from "../kit/field.tsx";
import { votesTexts } from "../texts/votes.ts";
import { proposalTexts } from "../texts/votes-proposal.ts";
import type { Proposal } from "./proposal.ts";
import { useRights } from "../session/use-rights.ts";

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
    announce(proposalTexts.withdrawn);
  };
  return (
    <div>
      <button type="button" onClick={() => setIdempotencyKey(crypto.randomUUID())}>
        {proposalTexts.withdraw}
      </button>
      {idempotencyKey !== undefined && (
        <ConfirmDialog
          title={proposalTexts.withdrawTitle}
          effect={
            <div className="stack">
              <p>
                {kind === "verify"
                  ? proposalTexts.withdrawEffect(votesTexts.statuses[previousStatus])
                  : proposalTexts.withdrawEffectRevoke}
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
          action={proposalTexts.withdraw}
          onConfirm={withdraw}
          onClose={() => setIdempotencyKey(undefined)}
        />
      )}
    </div>
  );
}
