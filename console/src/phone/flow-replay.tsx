/** The flows of an opened file: one is chosen and replayed, after those that it builds on. */
import { useState } from "react";
import { Field } from "../kit/field.tsx";
import { phoneTexts } from "../texts/phone.ts";
import { givenNames, stepsOf, type FlowFile } from "./flow-tree.ts";
import type { Handset } from "./handset.ts";
import type { Line } from "./handset-state.ts";
import { ReplayPanel } from "./replay-panel.tsx";

export interface FlowReplayProps {
  readonly name: string;
  readonly file: FlowFile;
  readonly handset: Handset;
  readonly lineOf: () => Line;
  readonly onDismiss: () => void;
}

export function FlowReplay({ name, file, handset, lineOf, onDismiss }: FlowReplayProps) {
  const [index, setIndex] = useState(0);
  const flow = file.flows[index];
  if (flow === undefined) return null;
  return (
    <ReplayPanel
      key={`${name} ${index}`}
      title={phoneTexts.fileTitle(name)}
      handset={handset}
      steps={stepsOf(file, flow)}
      asked={givenNames(file, flow)}
      lineOf={lineOf}
      onDismiss={onDismiss}
    >
      {file.flows.length > 1 && (
        <Field label={phoneTexts.flow}>
          {(ids) => (
            <select value={index} onChange={(event) => setIndex(Number(event.target.value))} {...ids}>
              {file.flows.map((flow, place) => (
                <option key={flow.name} value={place}>
                  {phoneTexts.flowOption(flow.name, stepsOf(file, flow).length)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </ReplayPanel>
  );
}
