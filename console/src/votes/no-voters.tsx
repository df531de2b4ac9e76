/** What to do while nobody is on the roll of voters: an admin adds themself in one step. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Icon } from "../kit/icon.tsx";
import { useRights } from "../session/use-rights.ts";
import { newProposalTexts } from "../texts/votes-new.ts";
import { AddMyself } from "./add-myself.tsx";

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
          {"Nobody is on the roll of voters, so no vote can be opened."}{" "}
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
