/**
 * A part of the page whose file is loaded when the part is first shown, on React's `lazy`. If the file cannot be loaded, its place
 * explains why and offers to retry or reload; it retries when the browser is online. The rest of the page stays.
 */
import { type ComponentType, type FunctionComponent, type ReactNode, Suspense, lazy, useEffect, useState } from "react";
import { ErrorBoundary } from "react-error-boundary";
import { Skeleton } from "./loaded.tsx";

interface PartModule<Props> {
  readonly default: ComponentType<Props>;
}

export type LazyPart<Props> = FunctionComponent<Props> & {
  /** Starts loading before it is shown; resolves when it is loaded or cannot be. */
  readonly prepare: () => Promise<void>;
};

export interface LazyPartOptions<Props> {
  /** Shown until it is loaded; grey lines by default. */
  readonly Waiting?: ComponentType<Props>;
  /** Whether the content shown while waiting suffices if the file cannot be loaded. */
  readonly isOptional?: boolean;
}

/** Thrown instead of a part; browsers phrase the reason differently. */
export class MissingFile extends Error {}

export function lazyPart<Props extends object>(
  load: () => Promise<PartModule<Props>>,
  { Waiting = GreyLines, isOptional = false }: LazyPartOptions<Props> = {},
): LazyPart<Props> {
  let asked: Promise<PartModule<Props>> | undefined;
  let Ready: ComponentType<Props> | undefined;
  const ask = (): Promise<PartModule<Props>> => {
    asked ??= load().then(
      (part) => {
        Ready = part.default;
        return part;
      },
      (cause: unknown) => {
        asked = undefined;
        throw new MissingFile("a file of the console could not be loaded", { cause });
      },
    );
    return asked;
  };
  const next = (): ComponentType<Props> => Ready ?? lazy(ask);
  function Part(props: Props) {
    // Keeps the component while the part is shown, so that it keeps its state.
    const [Shown, setShown] = useState(next);
    return (
      <ErrorBoundary
        onReset={() => setShown(next)}
        fallbackRender={({ error, resetErrorBoundary }) => {
          // The screen handles errors of the part itself.
          if (!(error instanceof MissingFile)) throw error;
          return isOptional ? <Waiting {...props} /> : <Missing onRetry={resetErrorBoundary} />;
        }}
      >
        <Suspense fallback={<Waiting {...props} />}>
          <Shown {...props} />
        </Suspense>
      </ErrorBoundary>
    );
  }
  const settled = (): void => undefined;
  return Object.assign(Part, { prepare: () => ask().then(settled, settled) });
}

function GreyLines() {
  return <Skeleton rows={6} />;
}

/** `away`: the server is unreachable. `replaced`: it has a newer version of the console, whose files have different names. */
type PageState = "away" | "same" | "replaced";

function Missing({ onRetry }: { readonly onRetry: () => void }) {
  const [state, setState] = useState<PageState>();
  useEffect(() => {
    let isGone = false;
    void lookAtPage().then((found) => isGone || setState(found));
    addEventListener("online", onRetry);
    return () => {
      isGone = true;
      removeEventListener("online", onRetry);
    };
  }, [onRetry]);
  if (state === undefined) return <GreyLines />;
  if (state === "replaced") {
    return (
      <Notice
        tone="info"
        text="The console has been updated since you opened this page. Save your changes, then reload the page. You stay signed in."
      >
        <ReloadButton isPrimary />
      </Notice>
    );
  }
  return (
    <Notice
      tone="danger"
      text={
        state === "away"
          ? "This could not be loaded because the server does not answer. The page tries again as soon as you are online."
          : "This could not be loaded. Try again. If that does not help, reload the page. You stay signed in."
      }
    >
      <button type="button" onClick={onRetry}>
        Try again
      </button>
      {state === "same" && <ReloadButton />}
    </Notice>
  );
}

async function lookAtPage(): Promise<PageState> {
  const script = document.querySelector('script[type="module"]')?.getAttribute("src");
  try {
    const response = await fetch("/console");
    if (!response.ok) return "away";
    return typeof script !== "string" || (await response.text()).includes(`"${script}"`) ? "same" : "replaced";
  } catch {
    return "away";
  }
}

/** Replaces a screen with an error, so that the frame around it stays. */
export function FailedScreen() {
  return (
    <Notice tone="danger" text="This screen failed. Reload the page; you stay signed in.">
      <ReloadButton />
    </Notice>
  );
}

interface NoticeProps {
  readonly tone: "info" | "danger";
  readonly text: string;
  readonly children: ReactNode;
}

function Notice({ tone, text, children }: NoticeProps) {
  return (
    <div className={`notice ${tone}`} role="alert">
      <div className="stack tight">
        <p>{text}</p>
        <p className="row wrap">{children}</p>
      </div>
    </div>
  );
}

function ReloadButton({ isPrimary = false }: { readonly isPrimary?: boolean }) {
  return (
    <button type="button" className={isPrimary ? "primary" : ""} onClick={() => location.reload()}>
      Reload
    </button>
  );
}
