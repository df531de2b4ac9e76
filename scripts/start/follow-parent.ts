/**
 * Loaded into wrangler's process before wrangler itself. When the tool that started it is gone, even by SIGKILL, the
 * channel between the two closes, and wrangler ends as if asked to: no orphan keeps the port and the storage.
 */
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
