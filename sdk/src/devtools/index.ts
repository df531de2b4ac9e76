/** The entry `@twinedge/sdk/devtools`: a panel that shows what goes between the page and its oracles, in development only. */
export { createInspector, OraclesDevtools } from "./devtools.ts";
export { createRecorder } from "./inspector.ts";
export type { OraclesDevtoolsProps } from "./devtools-panel.tsx";
export type { Inspector, KeptEntry } from "./inspector.ts";
export type { Recorder } from "./inspector.ts";
