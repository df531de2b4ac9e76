/**
 * The entry `@twinedge/sdk/devtools`: a panel that shows the traffic between the page and its oracles, only in
 * development.
 */
export { createInspector, OraclesDevtools } from "./devtools.ts";
export { createRecorder } from "./inspector.ts";
export type { OraclesDevtoolsProps } from "./devtools-panel.tsx";
export type { Inspector, KeptEntry } from "./inspector.ts";
export type { Recorder } from "./inspector.ts";
