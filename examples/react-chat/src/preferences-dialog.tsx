/** The user's preferences that the oracle has stored. The user sets them in the conversation: "Call me Amina". */
import { useOraclesContext } from "@twinedge/sdk";
import { useEffect, useRef, useState } from "react";
import { ORACLE_URL } from "./sign-in.ts";

const labels: Readonly<Record<string, string>> = {
  agentName: "Its name",
  userName: "Your name",
  language: "Language",
  tone: "Tone",
  length: "Length",
  format: "Format",
  formality: "Formality",
  customInstructions: "Instructions",
};

interface PreferencesDialogProps {
  readonly oracleDid: string;
  readonly onClose: () => void;
}

export function PreferencesDialog({ oracleDid, onClose }: PreferencesDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { authedRequest } = useOraclesContext();
  const [preferences, setPreferences] = useState<Readonly<Record<string, string>>>();
  const [failure, setFailure] = useState<string>();

  useEffect(() => {
    dialog.current?.showModal();
    authedRequest<Record<string, string>>(`${ORACLE_URL}/user-preferences`, "GET", {}, oracleDid).then(
      setPreferences,
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
    );
  }, [authedRequest, oracleDid]);

  const set = Object.entries(preferences ?? {}).filter(([name]) => name in labels);
  return (
    <dialog ref={dialog} aria-labelledby="preferences-title" onClose={onClose}>
      <h2 id="preferences-title">Your preferences</h2>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {preferences !== undefined && set.length === 0 && (
        <p>
          None yet. Say for example <q>Call me Amina</q> or <q>Please answer in French</q>.
        </p>
      )}
      <dl>
        {set.map(([name, value]) => (
          <div key={name}>
            <dt>{labels[name]}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" className="row">
        <button type="submit" className="primary">
          Close
        </button>
      </form>
    </dialog>
  );
}
