/** Puts the caller on the roll of voters, after a dialog that names the effect. */
import { api } from "../api/api.ts";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/confirm-dialog.tsx";
import { newProposalTexts } from "../texts/votes-new.ts";

export interface AddMyselfProps {
  readonly did: string;
  /** The label of the caller's key, which becomes the label of the voter. */
  readonly label: string | null;
  readonly onAdded: () => Promise<unknown>;
  readonly onClose: () => void;
}

export function AddMyself({ did, label, onAdded, onClose }: AddMyselfProps) {
  const announce = useAnnounce();
  const add = async (): Promise<void> => {
    await api.PUT("/v1/voters/{did}", { params: { path: { did } }, body: { weight: 1, label } });
    await onAdded();
    announce("You are on the roll of voters.");
  };
  return (
    <ConfirmDialog
      title="Add yourself to the roll of voters?"
      effect={
        <p>{`${did} gets a vote with power 1 in every proposal that is opened from now on. Votes that are open keep their voters.`}</p>
      }
      action={newProposalTexts.addMyself}
      isDangerous={false}
      onConfirm={add}
      onClose={onClose}
    />
  );
}
