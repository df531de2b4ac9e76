/**
 * A part whose file is loaded when it is first shown. A file that cannot be loaded takes nothing else from the page: in its place stands
 * why, and it is asked for again by itself. React's own `lazy` would fail for good, and hold back what has come for 300 ms.
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
      // In slices, as whatever is large: a slow processor goes on answering its user.
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
