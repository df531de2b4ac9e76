/** Saves an answer as a file, byte for byte as it came. */
import { saveFile } from "../kit/save-file.ts";
import type { GatewayAnswer } from "./ask-gateway.ts";

export function downloadAnswer({ request, bytes, headers, json }: GatewayAnswer): void {
  const type = headers.get("Content-Type") ?? "application/octet-stream";
  saveFile(fileName(request.target, json !== undefined), type, bytes);
}

/** Characters of the path that a name keeps. */
const LONGEST = 80;

function fileName(target: string, isJson: boolean): string {
  const [path = ""] = target.split("?");
  const name = path
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(-LONGEST);
  return `${name}${isJson ? ".json" : ""}`;
}
