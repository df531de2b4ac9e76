/* Starts the query page against the address that it was opened at. Served as it is; it runs in the browser. */
YogaGraphiQL.renderYogaGraphiQL(document.querySelector("#root"), {
  endpoint: location.pathname,
  title: "twinedge GraphQL",
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
