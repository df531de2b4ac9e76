/* Starts the API reference over the documents that the page names. Served as it is; it runs in the browser. */
const container = document.querySelector("#reference");

// The library's logo brings a style element of its own, which the page's policy refuses.
const ownLogo = ({ React }) => ({ components: { Logo: () => React.createElement("span", null, "API reference") } });

SwaggerUIBundle({
  domNode: container,
  urls: JSON.parse(container.dataset.documents),
  deepLinking: true,
  // Both would call services elsewhere.
  validatorUrl: null,
  oauth2RedirectUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [ownLogo],
  layout: "StandaloneLayout",
});
