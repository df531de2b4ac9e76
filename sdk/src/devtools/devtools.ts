/** Chooses, while the application is bundled, between the devtools and nothing. */
"use client";
import type { JSX } from "react";
import { DevtoolsPanel, type OraclesDevtoolsProps } from "./devtools-panel.tsx";
import { createInspector as create, type Inspector } from "./inspector.ts";

/** Bundlers put a word in its place, and then leave out what only the other one needs. */
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * A small floating panel that shows what goes between the page and its oracles: requests, frames, socket events, the run and the
 * queue, and when tokens are made, but never the tokens. It draws nothing in production, and bundlers leave it out.
 *
 * @example
 * <OraclesDevtools inspector={inspector} />
 */
export const OraclesDevtools: (props: OraclesDevtoolsProps) => JSX.Element | null =
  process.env.NODE_ENV === "production" ? () => null : DevtoolsPanel;

/**
 * Makes what keeps the newest entries for `OraclesDevtools`, one for an application.
 *
 * @example
 * const inspector = createInspector();
 * <OraclesProvider inspect={inspector.inspect} {...wallet}>
 *   <App />
 *   <OraclesDevtools inspector={inspector} />
 * </OraclesProvider>
 */
export const createInspector: () => Inspector = process.env.NODE_ENV === "production" ? () => noInspector : create;

/** In production nothing is kept, and nothing is drawn. */
const none: readonly [] = [];

const noInspector: Inspector = {
  inspect: undefined,
  subscribe: () => () => undefined,
  getSnapshot: () => none,
  clear: () => undefined,
};
