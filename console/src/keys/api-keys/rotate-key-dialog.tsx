/** Asks for the overlap of a rotation, says what it will do, and issues the successor. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/api.ts";
import { exactTime } from "../../kit/age.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { useCaller } from "../../session/use-caller.ts";
import { keysTexts } from "../../texts/keys.ts";
import { OverlapChoice, USUAL_OVERLAP } from "../overlap-choice.tsx";
import { rotationOf, type ApiKey } from "./api-key.ts";

export interface RotateKeyDialogProps {
  readonly apiKey: ApiKey;
  /** Called with the successor and its secret. */
  readonly onIssued: (issued: { readonly id: string; readonly key: string }) => void;
  readonly onClose: () => void;
}

export function RotateKeyDialog({ apiKey, onIssued, onClose }: RotateKeyDialogProps) {
  const { id, label } = apiKey;
  const queries = useQueryClient();
  const isOwn = useCaller().data?.id === id;
  const [overlap, setOverlap] = useState(USUAL_OVERLAP);
  const { stopsAt, isOwnEnd, successorEndsAt } = rotationOf(apiKey, overlap * 1_000, Date.now());
  const rotate = async (): Promise<void> => {
    const { data } = await api.POST("/v1/api-keys/{keyId}/rotate", {
      params: { path: { keyId: id } },
      body: { overlapSeconds: overlap },
    });
    if (data !== undefined) onIssued({ id: data.id, key: data.key });
    void queries.invalidateQueries({ queryKey: ["get", "/v1/api-keys"] });
    void queries.invalidateQueries({ queryKey: ["get", "/v1/api-keys/{keyId}"] });
  };
  const stops = isOwnEnd
    ? keysTexts.stopsBefore(exactTime(stopsAt))
    : keysTexts.stopsIn(keysTexts.overlaps[overlap], exactTime(stopsAt));
  return (
    <ConfirmDialog
      title={keysTexts.rotateTitle(label)}
      effect={
        <div className="stack">
          <OverlapChoice label={keysTexts.overlap} overlap={overlap} onChange={setOverlap} />
          <div className="stack tight" aria-live="polite">
            <p>{overlap === 0 ? keysTexts.stopsAtOnce : stops}</p>
            <p>
              {successorEndsAt === undefined
                ? keysTexts.successorStays
                : keysTexts.successorEnds(exactTime(successorEndsAt))}
            </p>
            {isOwn && <p>{keysTexts.rotateOwn}</p>}
          </div>
        </div>
      }
      action={keysTexts.rotateAction}
      isDangerous={overlap === 0}
      onConfirm={rotate}
      onClose={onClose}
    />
  );
}
