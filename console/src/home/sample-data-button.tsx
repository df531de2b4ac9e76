/** One click that fills an empty development system, with its progress. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorPanel } from "../kit/error-panel.tsx";
import { useAnnounce } from "../kit/announcer.tsx";
import { homeTexts } from "../texts/home.ts";

export function SampleDataButton() {
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [progress, setProgress] = useState<readonly [done: number, all: number]>();
  const [failure, setFailure] = useState<unknown>();
  const add = async (): Promise<void> => {
    if (progress !== undefined) return;
    setFailure(undefined);
    setProgress([0, 1]);
    try {
      const { addSampleData } = await import("./sample-data.ts");
      await addSampleData((done, all) => setProgress([done, all]));
      announce(homeTexts.sampleDone);
      await queries.invalidateQueries();
    } catch (error) {
      setFailure(error);
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <div className="notice">
      <div className="stack tight">
        <p>{homeTexts.sampleLead}</p>
        <p className="row wrap">
          <button type="button" aria-disabled={progress !== undefined} onClick={() => void add()}>
            {homeTexts.sample}
          </button>
          <span role="status" className="small muted">
            {progress !== undefined && homeTexts.sampleRunning(...progress)}
          </span>
        </p>
        {failure !== undefined && <ErrorPanel error={failure} onRetry={add} />}
      </div>
    </div>
  );
}
