/* Tells the editor where its workers are; must be loaded before graphiql.js. Served unchanged; runs in the browser. */
const files = { editorWorkerService: "editor-worker.js", json: "json-worker.js", graphql: "graphql-worker.js" };

self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => `/docs/graphiql/${files[label] ?? files.editorWorkerService}`,
};
