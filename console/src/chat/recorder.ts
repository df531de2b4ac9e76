/** What goes between this page and the oracle since the chat was first opened, for the inspector. It holds no token. */
import { createRecorder } from "@twinedge/sdk/devtools";

export const recorder = createRecorder();
