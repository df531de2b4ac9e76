/** What a flow file holds, and how its flows build on each other. */
import type { TextMode } from "../../../shared/gateway-formats.ts";

export interface FlowStep {
  readonly kind: "dial" | "input";
  readonly typed: string;
  readonly expect: string;
  /** The input is repeated as long as one of these screens comes. */
  readonly while: readonly string[];
}

export interface Flow {
  readonly name: string;
  /** A flow above that runs first. */
  readonly after?: string;
  /** Names that need a value before it runs. */
  readonly given: readonly string[];
  readonly steps: readonly FlowStep[];
}

export interface FlowFile {
  readonly phone?: string;
  readonly code?: string;
  readonly mode?: TextMode;
  readonly flows: readonly Flow[];
}

/** The steps of a flow, after those of all flows that run before it. */
export function stepsOf(file: FlowFile, flow: Flow): readonly FlowStep[] {
  const before = flowBefore(file, flow);
  return before === undefined ? flow.steps : [...stepsOf(file, before), ...flow.steps];
}

/** The names that need a value, of a flow and of all that run before it. */
export function givenNames(file: FlowFile, flow: Flow): readonly string[] {
  const before = flowBefore(file, flow);
  return before === undefined ? flow.given : [...new Set([...givenNames(file, before), ...flow.given])];
}

function flowBefore({ flows }: FlowFile, { after }: Flow): Flow | undefined {
  return flows.find(({ name }) => name === after);
}
