/* Loaded before every command. Without what `npm install` brings, a command would only show a stack; this says what to do. */
import { existsSync } from "node:fs";

const OLDEST = 24;
const [major = ""] = process.versions.node.split(".");
const isInstalled = existsSync(new URL("../node_modules/wrangler/package.json", import.meta.url));

if (!isInstalled || Number(major) < OLDEST) {
  const reason = isInstalled
    ? `this command runs on Node.js ${OLDEST}, not ${process.versions.node}`
    : "nothing is installed yet";
  process.stderr.write(
    `Run \`npm install\` first: ${reason}. (It brings its own Node.js ${OLDEST}; yours can stay.)\n`,
  );
  process.exit(1);
}
