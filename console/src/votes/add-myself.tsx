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
    announce(newProposalTexts.addedMyself);
  };
  return (
    <ConfirmDialog
      title={newProposalTexts.addMyselfTitle}
      effect={<p>{newProposalTexts.addMyselfEffect(did)}</p>}
      action={newProposalTexts.addMyself}
      isDangerous={false}
      onConfirm={add}
      onClose={onClose}
    />
  );
}
