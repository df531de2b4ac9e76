/** The next step while the voter roll is empty: an admin adds themself in one step. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/api.ts";
import { rememberAct } from "../api/own-acts.ts";
import { useAnnounce } from "../kit/announcer.tsx";
import { ConfirmDialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { useRights } from "../session/use-caller.ts";
import { newProposalTexts } from "../texts/votes.ts";

export function NoVoters() {
  const rights = useRights();
  const queries = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const isAdmin = rights?.isAdmin === true;
  return (
    <div className="notice warn">
      <Icon name="warning" />
      <div className="stack tight">
        <p>
          {"The voter roll is empty, so no vote can be opened."}{" "}
          {!isAdmin && "Ask an admin of the registry to add voters."}
        </p>
        {isAdmin && (
          <p>
            <button type="button" onClick={() => setIsAsking(true)}>
              {newProposalTexts.addMyself}
            </button>
          </p>
        )}
      </div>
      {isAsking && rights !== undefined && (
        <AddMyself
          did={rights.did}
          label={rights.label}
          onAdded={() => queries.invalidateQueries({ queryKey: ["get", "/v1/verification-rules"] })}
          onClose={() => setIsAsking(false)}
        />
      )}
    </div>
  );
}

export interface AddMyselfProps {
  readonly did: string;
  /** The label of the caller's key, which becomes the label of the voter. */
  readonly label: string | null;
  readonly onAdded: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Puts the caller on the voter roll, after a dialog that names the effect. */
export function AddMyself({ did, label, onAdded, onClose }: AddMyselfProps) {
  const announce = useAnnounce();
  const add = async (): Promise<void> => {
    await api.PUT("/v1/voters/{did}", { params: { path: { did } }, body: { weight: 1, label } });
    rememberAct("roll");
    await onAdded();
    announce("You are on the voter roll.");
  };
  return (
    <ConfirmDialog
      title="Add yourself to the voter roll?"
      effect={
        <p>{`${did} gets a vote with power 1 in every proposal that is opened from now on. Open votes keep their voters.`}</p>
      }
      action={newProposalTexts.addMyself}
      isDangerous={false}
      onConfirm={add}
      onClose={onClose}
    />
  );
}
