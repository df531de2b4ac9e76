/* Starts the API reference for the documents that the page names. Served unchanged; runs in the browser. */
const container = document.querySelector("#reference");

// The library's logo adds a style element, which the page's policy refuses.
const ownLogo = ({ React }) => ({ components: { Logo: () => React.createElement("span", null, "API reference") } });

/**
 * Opens the sections of a loaded document, except for the chain's modules ("ixo.entity", "cosmos.bank"): they contain
 * hundreds of queries, which would bury the rest. A click opens a folded section. The library draws only the rows near
 * the screen, so paths are found with the filter on top, not with the browser's own search.
 */
const openSections = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec:
          (original, { layoutActions }) =>
          (spec) => {
            const result = original(spec);
            for (const { name } of spec?.tags ?? []) {
              if (!name.includes(".")) layoutActions.show(["operations-tag", name], true);
            }
            return result;
          },
      },
    },
  },
});

SwaggerUIBundle({
  domNode: container,
  urls: JSON.parse(container.dataset.documents),
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  // Both would call external services.
  validatorUrl: null,
  oauth2RedirectUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [ownLogo, openSections],
  layout: "StandaloneLayout",
});
