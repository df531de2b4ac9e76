/** Removes a voter, after a dialog that names what that changes and what it does not. */
import { api } from "../api/api.ts";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/confirm-dialog.tsx";
import { rollTexts } from "../texts/votes-roll.ts";
import type { Voter } from "./proposal.ts";

export interface RemoveVoterProps {
  readonly voter: Voter;
  readonly totalPower: number;
  readonly isLast: boolean;
  readonly onRemoved: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function RemoveVoter({ voter, totalPower, isLast, onRemoved, onClose }: RemoveVoterProps) {
  const announce = useAnnounce();
  const { did, label, weight } = voter;
  const remove = async (): Promise<void> => {
    await api.DELETE("/v1/voters/{did}", { params: { path: { did } } });
    await onRemoved();
    announce(rollTexts.voterRemoved);
  };
  return (
    <ConfirmDialog
      title={rollTexts.removeTitle}
      effect={
        <p>
          {rollTexts.removeEffect(label ?? did, weight, totalPower)} {isLast && rollTexts.removeLast}
        </p>
      }
      action={rollTexts.removeVoter}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
