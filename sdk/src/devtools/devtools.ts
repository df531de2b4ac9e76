/** Selects the devtools or an empty replacement when the application is bundled. */
"use client";
import type { JSX } from "react";
import { DevtoolsPanel, type OraclesDevtoolsProps } from "./devtools-panel.tsx";
import { createInspector as create, type Inspector } from "./inspector.ts";

/** Bundlers replace this value, and then remove the unused branch. */
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * A small floating panel that shows the traffic between the page and its oracles: requests, frames, socket events, the
 * run, the queue, and when tokens are created, but never the tokens. In production it renders nothing, and bundlers
 * remove it.
 *
 * @example
 * <OraclesDevtools inspector={inspector} />
 */
export const OraclesDevtools: (props: OraclesDevtoolsProps) => JSX.Element | null =
  process.env.NODE_ENV === "production" ? () => null : DevtoolsPanel;

/**
 * Creates the store of the newest entries for `OraclesDevtools`. Create one per application.
 *
 * @example
 * const inspector = createInspector();
 * <OraclesProvider inspect={inspector.inspect} {...wallet}>
 *   <App />
 *   <OraclesDevtools inspector={inspector} />
 * </OraclesProvider>
 */
export const createInspector: () => Inspector = process.env.NODE_ENV === "production" ? () => noInspector : create;

/** In production, nothing is recorded or rendered. */
const none: readonly [] = [];

const noInspector: Inspector = {
  inspect: undefined,
  subscribe: () => () => undefined,
  getSnapshot: () => none,
  clear: () => undefined,
};
