/** Commands of this project that work with this server unchanged. */
import type { SurfaceName } from "../api/page-settings.ts";

const DEFAULT_ORIGIN = "http://localhost:3000";

export function commandsFor(origin: string): readonly { readonly surface: SurfaceName; readonly command: string }[] {
  const url = origin === DEFAULT_ORIGIN ? "" : ` --url ${origin}`;
  return [
    { surface: "registry", command: `npm run keys -- create --name "my app"${url}` },
    { surface: "ussd", command: url === "" ? "npm run ussd" : `npm run ussd --${url}` },
    { surface: "oracle", command: `npm run chat --${url} "hello"` },
    { surface: "query-gateway", command: `curl ${origin}/ixo/token/params` },
  ];
}
