/** The page that CometBFT's RPC shows at its own URL: the available methods, each with a link that tries it. */

/** The parameters of the methods that need some. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  abci_query: "path=_&data=_&height=_&prove=_",
  block: "height=_",
  block_by_hash: "hash=_",
  block_results: "height=_",
  block_search: "query=_&page=_&per_page=_&order_by=_",
  blockchain: "minHeight=_&maxHeight=_",
  broadcast_tx_async: "tx=_",
  broadcast_tx_commit: "tx=_",
  broadcast_tx_sync: "tx=_",
  commit: "height=_",
  consensus_params: "height=_",
  header: "height=_",
  header_by_hash: "hash=_",
  tx: "hash=_&prove=_",
  tx_search: "query=_&prove=_&page=_&per_page=_&order_by=_",
  validators: "height=_&page=_&per_page=_",
};

/** `path`: the RPC's own path, as the client sees it. */
export function endpointPage(path: string, methods: readonly string[]): Response {
  const base = escaped(path.replace(/\/$/, ""));
  const link = (method: string) => {
    const query = ARGUMENTS[method];
    const address = `${base}/${method}${query === undefined ? "" : escaped(`?${query}`)}`;
    return `<a href="${address}">${address}</a><br>`;
  };
  const [bare, more] = [false, true].map((needs) =>
    methods.filter((method) => method in ARGUMENTS === needs).toSorted(),
  );
  const page = [
    "<html><body>",
    "<br>Available endpoints:<br>",
    ...(bare ?? []).map(link),
    "<br>Endpoints that require arguments:<br>",
    ...(more ?? []).map(link),
    "</body></html>",
  ];
  return new Response(page.join("\n"), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    },
  });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
