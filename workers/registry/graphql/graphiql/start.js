/* Starts the query page for the address at which it was opened. Served unchanged; runs in the browser. */

/* Headers contain API keys: the page restores queries and tabs after a reload, but no headers. */
const kept = {
  getItem: (name) => localStorage.getItem(name),
  setItem(name, value) {
    if (!name.endsWith(":headers")) localStorage.setItem(name, withoutHeaders(value));
  },
  removeItem: (name) => localStorage.removeItem(name),
  clear: () => localStorage.clear(),
  get length() {
    return localStorage.length;
  },
};

function withoutHeaders(value) {
  try {
    return JSON.stringify(JSON.parse(value, (name, member) => (name === "headers" ? undefined : member)));
  } catch {
    return value;
  }
}

/* An earlier version of this page stored them. */
for (const name of Object.keys(localStorage).filter((each) => each.startsWith("graphiql:"))) {
  const value = localStorage.getItem(name);
  localStorage.removeItem(name);
  kept.setItem(name, value);
}

YogaGraphiQL.renderYogaGraphiQL(document.querySelector("#root"), {
  endpoint: location.pathname,
  title: "twinedge GraphQL",
  storage: kept,
  shouldPersistHeaders: false,
  defaultQuery: `# Domains of the registry: Ctrl-Space completes, Ctrl-Enter runs.
query {
  entities(first: 10) {
    totalCount
    nodes {
      id
      name
      type
      status
      verificationStatus
    }
  }
}
`,
});
