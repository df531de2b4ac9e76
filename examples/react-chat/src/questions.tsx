/** What a turn waits for: a tool call that the user has to approve, or a sign-in at another service. */
import type { PendingQuestion, PendingSignIn } from "@twinedge/sdk";
import { toolWords } from "./tool-cards.tsx";

interface QuestionsProps {
  readonly questions: readonly PendingQuestion[];
  readonly signIns: readonly PendingSignIn[];
  readonly onAnswer: (id: string, answer: { approved: boolean }) => Promise<void>;
}

export function Questions({ questions, signIns, onAnswer }: QuestionsProps) {
  // A failure comes back with the question.
  const answer = (id: string, approved: boolean): void => void onAnswer(id, { approved }).catch(() => undefined);
  return (
    <div aria-live="assertive">
      {questions
        .filter(({ kind }) => kind === "approval")
        .map(({ id, toolName, args, error }) => (
          <section key={id} className="question" aria-label={`Approve ${toolWords(toolName)}`}>
            <h2>May the oracle do this?</h2>
            <p>
              <strong>{toolWords(toolName)}</strong>
            </p>
            <dl>
              {Object.entries(args).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
                </div>
              ))}
            </dl>
            {error !== undefined && <p role="alert">Your answer did not count: {error.message}</p>}
            <div className="row">
              <button type="button" className="primary" onClick={() => answer(id, true)}>
                Approve
              </button>
              <button type="button" className="plain" onClick={() => answer(id, false)}>
                Refuse
              </button>
            </div>
          </section>
        ))}
      {signIns.map(({ server, url }) => (
        <p key={url} className="question">
          {server} needs you to sign in.{" "}
          <a href={url} target="_blank" rel="noreferrer noopener">
            Sign in to {server}
          </a>
        </p>
      ))}
    </div>
  );
}
