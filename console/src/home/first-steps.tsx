/**
 * The home screen's next steps, from creating a domain to asking questions about it, with their state. An empty development system
 * offers sample data. Every development system shows the equivalent terminal commands.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { apiHooks } from "../api/api.ts";
import { type OwnAct, hasDone } from "../api/own-acts.ts";
import type { SurfaceName } from "../api/page-settings.ts";
import { domainHref } from "../kit/addresses.ts";
import { useAnnounce } from "../kit/announcer.tsx";
import { CopyButton } from "../kit/copy-button.tsx";
import { Icon } from "../kit/icon.tsx";
import { ErrorPanel } from "../kit/loaded.tsx";
import { useCredentials } from "../session/use-caller.ts";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { commandsFor } from "./terminal-commands.ts";

const stepTexts = {
  create: { title: "Create a domain", lead: "Register the digital twin of a project, an organisation or a stove." },
  roll: { title: "Add voters to the roll", lead: "Voters verify domains. You can start with yourself." },
  verify: { title: "Vote on its verification", lead: "Propose it, vote and watch the tally." },
  dial: { title: "Dial the phone", lead: "Try the menus of a simple phone and look up the domain." },
  ask: { title: "Ask the oracle about it", lead: "The oracle reads the registry and explains what is missing." },
};

const sampleRunning = (done: number, all: number) => `Adding sample data: ${done} of ${all}`;

interface Step {
  readonly name: OwnAct;
  /** With the subject of the later steps, if there is one. */
  readonly href: (domain: string | undefined) => string;
  readonly surface: SurfaceName;
}

const steps: readonly Step[] = [
  { name: "create", href: () => "/registry/new", surface: "registry" },
  { name: "roll", href: () => "/votes/roll", surface: "registry" },
  {
    name: "verify",
    href: (domain) => (domain === undefined ? "/votes" : domainHref(domain)),
    surface: "registry",
  },
  { name: "dial", href: (domain) => `/phone${about(domain)}`, surface: "ussd" },
  { name: "ask", href: (domain) => `/chat${about(domain)}`, surface: "oracle" },
];

function about(domain: string | undefined): string {
  return domain === undefined ? "" : `?about=${encodeURIComponent(domain)}`;
}

export function FirstSteps() {
  const { surfaces, environment } = usePageSettings();
  const progress = useProgress();
  const isDevelopment = environment === "development";
  const served = steps.filter(({ surface }) => surfaces.includes(surface));
  const next = progress.isKnown ? served.find(({ name }) => !hasDone(name)) : undefined;
  const commands = commandsFor(location.origin).filter(({ surface }) => surfaces.includes(surface));
  return (
    <section className="card" aria-labelledby="home-steps">
      <h2 id="home-steps">Next steps</h2>
      <p className="muted">
        From creating a domain to asking questions about it. Steps that you completed in this browser are ticked.
      </p>
      <ol className="steps">
        {served.map((step) => (
          <StepRow
            key={step.name}
            step={step}
            domain={progress.domain}
            isDone={hasDone(step.name)}
            isNext={step === next}
          />
        ))}
      </ol>
      {isDevelopment && progress.isKnown && !progress.hasDomains && <SampleDataButton />}
      {isDevelopment && (
        <details>
          <summary>Or from a terminal</summary>
          <div className="stack tight">
            <p className="muted small">You can run these commands against this server unchanged.</p>
            {commands.map(({ command }) => (
              <pre key={command} className="row spread">
                <code>{command}</code>
                <CopyButton text={command} />
              </pre>
            ))}
          </div>
        </details>
      )}
    </section>
  );
}

interface StepRowProps {
  readonly step: Step;
  readonly domain: string | undefined;
  readonly isDone: boolean;
  readonly isNext: boolean;
}

function StepRow({ step: { name, href }, domain, isDone, isNext }: StepRowProps) {
  const { title, lead } = stepTexts[name];
  return (
    <li className={isDone ? "done" : ""} aria-current={isNext ? "step" : undefined}>
      <span className="step-mark">{isDone && <Icon name="check" />}</span>
      <div>
        <Link href={href(domain)}>{title}</Link>
        {isDone && <span className="hidden-visually">Done</span>}
        <p className="muted small">{lead}</p>
      </div>
    </li>
  );
}

interface Progress {
  readonly hasDomains: boolean;
  readonly isKnown: boolean;
  /** The domain of the later steps: the newest verified one, or else the newest. */
  readonly domain: string | undefined;
}

/** The registry's data for the steps. */
function useProgress(): Progress {
  const enabled = useCredentials().apiKey !== undefined;
  const any = { params: { query: { limit: 1, sort: "-createdAt" as const } } };
  const verified = { params: { query: { ...any.params.query, verificationStatus: ["Verified" as const] } } };
  const domains = apiHooks.useQuery("get", "/v1/domains", any, { enabled });
  const newestVerified = apiHooks.useQuery("get", "/v1/domains", verified, { enabled });
  return {
    hasDomains: (domains.data?.data.length ?? 0) > 0,
    domain: (newestVerified.data?.data[0] ?? domains.data?.data[0])?.id,
    isKnown: domains.data !== undefined && newestVerified.data !== undefined,
  };
}

/** A button that fills an empty development system, with its progress. */
function SampleDataButton() {
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [progress, setProgress] = useState<readonly [done: number, all: number]>();
  const [failure, setFailure] = useState<unknown>();
  const add = async (): Promise<void> => {
    if (progress !== undefined) return;
    setFailure(undefined);
    setProgress([0, 1]);
    try {
      const { addSampleData } = await import("./sample-data.ts");
      await addSampleData((done, all) => setProgress([done, all]));
      announce("The sample data was added.");
      await queries.invalidateQueries();
    } catch (error) {
      setFailure(error);
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <div className="notice">
      <div className="stack tight">
        <p>
          Or look around first with sample data: an organisation, a protocol, projects and stoves. One project is
          verified and one is under vote.
        </p>
        <p className="row wrap">
          <button type="button" aria-disabled={progress !== undefined} onClick={() => void add()}>
            Add sample data
          </button>
          <span role="status" className="small muted">
            {progress !== undefined && sampleRunning(...progress)}
          </span>
        </p>
        {failure !== undefined && <ErrorPanel error={failure} onRetry={add} />}
      </div>
    </div>
  );
}
