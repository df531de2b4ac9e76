/**
 * The file of a part: loaded once, and asked for again while it is missing and somebody shows the part, as soon as the browser is
 * online and every few seconds. (Chromium asks the server again; a browser that keeps a failure needs a reload, which is offered.)
 */
import type { ComponentType } from "react";
import { lookAtPage, type PageState } from "./page-version.ts";

export interface PartModule<Props> {
  readonly default: ComponentType<Props>;
}

export interface PartState<Props> {
  readonly Component?: ComponentType<Props>;
  /** Why it is not there: what the server has in place of the page. */
  readonly missing?: PageState;
}

export interface PartFile<Props> {
  read(): PartState<Props>;
  /** Resolves, also when it fails. */
  load(): Promise<void>;
  /** Calls back at each change, and tries again meanwhile; returns what ends that. */
  follow(listener: () => void): () => void;
}

/** Milliseconds between two attempts. */
const AGAIN = 5_000;

export function createPartFile<Props>(
  ask: () => Promise<PartModule<Props>>,
  look: () => Promise<PageState> = lookAtPage,
): PartFile<Props> {
  const listeners = new Set<() => void>();
  let state: PartState<Props> = {};
  let loading: Promise<void> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;

  const attempt = async (): Promise<void> => {
    try {
      state = { Component: (await ask()).default };
    } catch {
      // Browsers word their errors differently, so the reason comes from the server: whether it is there, and has the same page.
      state = { missing: await look() };
    }
    loading = undefined;
    for (const listener of listeners) listener();
    watch();
  };
  const load = (): Promise<void> => {
    if (state.Component !== undefined) return Promise.resolve();
    loading ??= attempt();
    return loading;
  };
  const again = (): void => void load();
  /** One timer for all places that show the part, which may be hundreds, and none once it is loaded. */
  const watch = (): void => {
    clearInterval(timer);
    removeEventListener("online", again);
    // The file of a page that was replaced will not come back.
    if (listeners.size === 0 || state.missing === undefined || state.missing === "replaced") return;
    timer = setInterval(again, AGAIN);
    addEventListener("online", again);
  };
  return {
    read: () => state,
    load,
    follow(listener) {
      listeners.add(listener);
      watch();
      return () => {
        listeners.delete(listener);
        watch();
      };
    },
  };
}
