/* Starts the API reference over the documents that the page names. Served as it is; it runs in the browser. */
const container = document.querySelector("#reference");

// The library's logo brings a style element of its own, which the page's policy refuses.
const ownLogo = ({ React }) => ({ components: { Logo: () => React.createElement("span", null, "API reference") } });

/**
 * Opens the sections of a document that has just been loaded, but for the chain's modules ("ixo.entity", "cosmos.bank"):
 * they hold hundreds of queries, which would bury the rest. Folded sections open with a click. The library draws only the rows
 * near the screen, so the filter on top finds a path, not the browser's own search.
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
  // Both would call services elsewhere.
  validatorUrl: null,
  oauth2RedirectUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [ownLogo, openSections],
  layout: "StandaloneLayout",
});
