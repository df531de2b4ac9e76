/** The pages of a sign-in: plain HTML without a script, under a separate policy. All foreign text is escaped. */
import type { SignInProblem } from "./oauth-sign-in.ts";
import { isLoopback } from "./oauth-fetch.ts";
import { randomText } from "./random-text.ts";

const STYLE = `
:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 34rem; padding: 3rem 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
dl { border: 1px solid #8886; border-radius: .6rem; margin: 1.5rem 0; padding: .35rem 1rem; }
dl div { display: flex; gap: 1rem; padding: .4rem 0; }
dt { flex: 0 0 4.5rem; opacity: .7; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
button { background: #1456c8; border: 0; border-radius: .6rem; color: #fff; cursor: pointer; font: inherit;
  font-weight: 600; padding: .7rem 1.6rem; }
button:focus-visible { outline: 3px solid #78a9ff; outline-offset: 2px; }
.note { border-left: 4px solid #b7791f; margin: 1.5rem 0; padding: .1rem 0 .1rem 1rem; }`;

interface Page {
  readonly status: number;
  readonly title: string;
  /** HTML. */
  readonly body: string;
  /** Where a form of the page may lead, including redirects. */
  readonly formTargets?: string;
}

export interface StartPage {
  readonly oracleName: string;
  readonly server: string;
  readonly serverUrl: string;
  readonly did: string;
  readonly ticket: string;
  readonly action: string;
}

/** States whose chat gets access to which server before the browser goes anywhere: the link may have come from somebody else. */
export function startPage({ oracleName, server, serverUrl, did, ticket, action }: StartPage): Response {
  const { hostname, host } = new URL(serverUrl);
  const rows = [
    ["Oracle", oracleName],
    ["Server", `${server} (${host})`],
    ["Account", shortDid(did)],
  ] as const;
  const list = rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`).join("");
  return page({
    status: 200,
    title: `Sign in to ${server}`,
    body: `<p>${escaped(oracleName)} wants to use ${escaped(server)} for the account below, with the rights that you give it on
the next page.</p>
<dl>${list}</dl>
<p class="note">Continue only if you opened this link in your own chat and the account is yours. If somebody sent it to you,
close this page: they would use ${escaped(server)} on your behalf.</p>
<form method="post" action="${escaped(action)}"><input type="hidden" name="ticket" value="${escaped(ticket)}">
<button type="submit">Continue</button></form>`,
    formTargets: `'self' https:${isLoopback(hostname) ? " http://localhost:* http://127.0.0.1:*" : ""}`,
  });
}

export function donePage(oracleName: string, server: string, did: string): Response {
  return page({
    status: 200,
    title: `You are signed in to ${server}`,
    body: `<p>${escaped(oracleName)} can now use ${escaped(server)} for the account ${escaped(shortDid(did))}.</p>
<p>Go back to the chat and ask again. You can close this page.</p>`,
  });
}

/** Shown after a sign-in that waits for its code. */
export function codePage(server: string, code: string): Response {
  return page({
    status: 200,
    title: "One step left",
    body: `<p>Type this code into your own chat:</p>
<dl><div><dt>Code</dt><dd><strong>${escaped(code)}</strong></dd></div></dl>
<p class="note">Do not give it to another person, who could then use ${escaped(server)} on your behalf. If somebody sent you the link of
this sign-in, close this page: without the code nothing is granted.</p>`,
  });
}

const problems: Readonly<Record<SignInProblem | "other_site", readonly [status: number, what: string, then: string]>> =
  {
    unusable: [400, "This link was used already, or is older than ten minutes.", "ask"],
    other_browser: [400, "This sign-in began in another browser.", "ask"],
    other_site: [403, "This request did not come from the oracle's own page.", "ask"],
    wrong_answer: [400, "The answer did not come from the service that you signed in to.", "ask"],
    denied: [400, "The sign-in was cancelled or refused, so nothing was stored.", "ask"],
    refused: [502, "The sign-in service granted no access.", "ask"],
    unreachable: [502, "The sign-in service does not answer at the moment.", "later"],
    no_sign_in: [502, "The server does not say where to sign in.", "operator"],
    wrong_resource: [502, "The server's sign-in data is for another server.", "operator"],
    wrong_issuer: [502, "The sign-in service identifies itself by another name.", "operator"],
    no_pkce: [502, "The sign-in service lacks a protection that is required (PKCE with S256).", "operator"],
    insecure: [502, "The sign-in service has an address without https.", "operator"],
    unknown_client: [502, "The sign-in service does not accept this oracle.", "operator"],
  };

const advice: Readonly<Record<string, string>> = {
  ask: "Go back to the chat and ask again: it shows a new link.",
  later: "Wait a moment, then go back to the chat and ask again.",
  operator: "You cannot fix this yourself. Tell the operator of the oracle.",
};

export function problemPage(problem: keyof typeof problems): Response {
  const [status, what, then] = problems[problem];
  return page({
    status,
    // Not "you are not signed in": a visitor who reopens a used link may be signed in.
    title: "This sign-in did not work",
    body: `<p>${escaped(what)}</p>\n<p>${advice[then] ?? ""}</p>`,
  });
}

function page({ status, title, body, formTargets = "'none'" }: Page): Response {
  const nonce = randomText();
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style nonce="${nonce}">${STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1>
${body}</main></body></html>
`;
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `form-action ${formTargets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return new Response(html, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy.join("; "),
      "Cache-Control": "no-store",
      // Sent only to the same origin, by which the page's form is recognised.
      "Referrer-Policy": "same-origin",
      "X-Frame-Options": "DENY",
      "X-Robots-Tag": "noindex",
    },
  });
}

/** Its beginning and end: enough for users to recognise their own. */
function shortDid(did: string): string {
  return did.length <= 28 ? did : `${did.slice(0, 18)}…${did.slice(-6)}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
