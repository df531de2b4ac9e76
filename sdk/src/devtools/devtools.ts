/** Chooses, while the application is bundled, between the devtools and nothing. */
"use client";
import type { JSX } from "react";
import { DevtoolsPanel, type OraclesDevtoolsProps } from "./devtools-panel.tsx";
import { createInspector as create, type Inspector } from "./inspector.ts";
import { noInspector } from "./production.ts";

/** Bundlers put a word in its place, and then leave out what only the other one needs. */
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * A panel over the page that shows what an inspector has seen. Draws nothing in production builds.
 *
 * @example
 * <OraclesDevtools inspector={inspector} />
 */
export const OraclesDevtools: (props: OraclesDevtoolsProps) => JSX.Element | null =
  process.env.NODE_ENV === "production" ? () => null : DevtoolsPanel;

/**
 * Keeps the newest requests, frames and socket events, without tokens. Its `inspect` goes to `OraclesProvider` or to
 * `createOracleClient`. Keeps nothing in production builds.
 */
export const createInspector: () => Inspector = process.env.NODE_ENV === "production" ? () => noInspector : create;
