/**
 * A part whose file is loaded when it is first shown. When the file cannot be loaded, its place says why, the rest of the page stays, and
 * the part tries again by itself. React's own `lazy` would fail for good, and wait 300 ms before it shows a part that has loaded.
 */
import { startTransition, useEffect, useState, type ComponentType, type FunctionComponent } from "react";
import { createPartFile, type PartModule } from "./part-file.ts";
import { PartMissing } from "./part-missing.tsx";
import { Skeleton } from "./skeleton.tsx";

export type LazyPart<Props> = FunctionComponent<Props> & {
  /** Begins to load it before it is shown; resolves when it is there or cannot be loaded. */
  readonly prepare: () => Promise<void>;
};

export interface LazyPartOptions<Props> {
  /** Shown until it is there; grey lines by default. */
  readonly Waiting?: ComponentType<Props>;
  /** Whether what is shown while waiting is enough when the file cannot be loaded. */
  readonly isOptional?: boolean;
}

export function lazyPart<Props extends object>(
  load: () => Promise<PartModule<Props>>,
  { Waiting = GreyLines, isOptional = false }: LazyPartOptions<Props> = {},
): LazyPart<Props> {
  const file = createPartFile(load);
  function Part(props: Props) {
    const [state, setState] = useState(file.read);
    useEffect(() => {
      // A transition is drawn in slices, between which a slow processor can answer its user.
      const take = (): void => startTransition(() => setState(file.read()));
      const leave = file.follow(take);
      void file.load();
      take();
      return leave;
    }, []);
    const { Component, missing } = state;
    if (Component !== undefined) return <Component {...props} />;
    if (missing === undefined || isOptional) return <Waiting {...props} />;
    return <PartMissing missing={missing} onRetry={() => void file.load()} />;
  }
  return Object.assign(Part, { prepare: file.load });
}

function GreyLines() {
  return <Skeleton rows={6} />;
}
