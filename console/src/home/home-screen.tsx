/** The first screen: how this host is, what to do next, and what happened last. */
import { ErrorPanel } from "../kit/error-panel.tsx";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { useSignInRequest } from "../kit/sign-in-request.ts";
import { useCredentials } from "../session/use-credentials.ts";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { developmentKeys, useSignIn } from "../shell/use-sign-in.ts";
import { homeTexts } from "../texts/home.ts";
import { shellTexts } from "../texts/shell.ts";
import { FirstSteps } from "./first-steps.tsx";
import { Overview } from "./overview.tsx";
import { RecentChanges } from "./recent-changes.tsx";
import { SurfaceHealth } from "./surface-health.tsx";

export function HomeScreen() {
  const { surfaces } = usePageSettings();
  const { apiKey } = useCredentials();
  const hasRegistry = surfaces.includes("registry");
  return (
    <>
      <ScreenHeader title={homeTexts.title} lead={homeTexts.lead} />
      {hasRegistry && apiKey !== undefined && <Overview />}
      <div className="columns home-columns">
        <div className="stack loose">
          {hasRegistry && apiKey === undefined && <SignInCard />}
          <FirstSteps />
          <SurfaceHealth />
        </div>
        {hasRegistry && apiKey !== undefined && <RecentChanges />}
      </div>
    </>
  );
}

/** On a development machine its own keys are one click away. */
function SignInCard() {
  const requestSignIn = useSignInRequest();
  const { developmentSignIn } = usePageSettings();
  const { isBusy, refused, failure, signIn } = useSignIn();
  return (
    <section className="card" aria-labelledby="home-sign-in">
      <h2 id="home-sign-in">{homeTexts.signInTitle}</h2>
      <p className="muted">{homeTexts.signInLead}</p>
      <p className="row wrap">
        {developmentSignIn && (
          <button type="button" className="primary" aria-disabled={isBusy} onClick={() => void signIn(developmentKeys)}>
            {shellTexts.developmentSignIn}
          </button>
        )}
        <button type="button" className={developmentSignIn ? "" : "primary"} onClick={requestSignIn}>
          {developmentSignIn ? homeTexts.otherKeys : shellTexts.signIn}
        </button>
      </p>
      {refused.map((name) => (
        <p key={name} className="field-error">
          {shellTexts.refused[name]}
        </p>
      ))}
      {failure !== undefined && <ErrorPanel error={failure} />}
    </section>
  );
}
