/** Tools of the MCP server for tests: those that read, write, fail, wait, ask, or answer too much. */
import { acceptedContent, inputRequired, type McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

export interface ToolPeer {
  readonly era: "new" | "old";
  /** The bearer of the caller, for the tool `whoami`; undefined leaves the tool out. */
  readonly bearer: string | undefined;
  readonly ran: (tool: string) => void;
  /** Resolves when the test releases the slow tools. */
  readonly released: () => Promise<void>;
  /** The description of the tool `changing`. */
  readonly changing: string;
  readonly hasLater: boolean;
  readonly addTool: () => void;
}

const HINTS = { readOnlyHint: true } as const;

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

export function registerTools(server: McpServer, peer: ToolPeer): void {
  const { era, bearer, ran, released, changing, hasLater, addTool } = peer;

  server.registerTool(
    "read_note",
    { description: "Reads a note.", inputSchema: z.object({ id: z.string() }), annotations: HINTS },
    async ({ id }) => {
      ran("read_note");
      return text(`note ${id}`);
    },
  );
  server.registerTool(
    "write_note",
    { description: "Writes a note.", inputSchema: z.object({ text: z.string() }) },
    async ({ text: note }) => {
      ran("write_note");
      return text(`written: ${note}`);
    },
  );
  server.registerTool(
    "count",
    {
      description: "Counts letters.",
      inputSchema: z.object({ word: z.string() }),
      outputSchema: z.object({ letters: z.number() }),
      annotations: HINTS,
    },
    async ({ word }) => {
      ran("count");
      return { content: [{ type: "text", text: String(word.length) }], structuredContent: { letters: word.length } };
    },
  );
  server.registerTool(
    "picture",
    { description: "Shows a picture.", inputSchema: z.object({}), annotations: HINTS },
    async () => ({
      content: [
        { type: "text", text: "a picture" },
        { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
      ],
    }),
  );
  server.registerTool("fail", { description: "Fails.", inputSchema: z.object({}) }, async () => ({
    ...text("the note is locked"),
    isError: true,
  }));
  for (const [tool, annotations] of [
    ["huge", HINTS],
    ["huge_write", {}],
  ] as const)
    server.registerTool(
      tool,
      { description: "Answers with 3 MB.", inputSchema: z.object({}), annotations },
      async () => {
        ran(tool);
        return text("x".repeat(3_000_000));
      },
    );
  for (const [tool, annotations] of [
    ["slow", HINTS],
    ["slow_write", {}],
  ] as const)
    server.registerTool(
      tool,
      { description: "Answers when it is released.", inputSchema: z.object({}), annotations },
      async () => {
        ran(tool);
        await released();
        return text(`${tool} done`);
      },
    );
  server.registerTool(
    "changing",
    { description: changing, inputSchema: z.object({}), annotations: HINTS },
    async () => {
      ran("changing");
      return text("changing was called");
    },
  );
  server.registerTool("add_tool", { description: "Adds the tool `later`.", inputSchema: z.object({}) }, async () => {
    ran("add_tool");
    addTool();
    return text("added");
  });
  server.registerTool(
    "book",
    { description: "Books a table; asks for how many.", inputSchema: z.object({}) },
    async (_args, ctx) => {
      const asked = {
        message: "How many people?",
        requestedSchema: {
          type: "object" as const,
          properties: { people: { type: "number" as const } },
          required: ["people"],
        },
      };
      if (era === "old") {
        // oxlint-disable-next-line typescript/no-deprecated -- how servers of the older era ask
        const answer = await ctx.mcpReq.elicitInput(asked);
        ran("book");
        return text(
          answer.action === "accept"
            ? `booked for ${JSON.stringify(answer.content?.["people"])}`
            : `not booked: ${answer.action}`,
        );
      }
      const given = ctx.mcpReq.inputResponses;
      if (given === undefined) return inputRequired({ inputRequests: { people: inputRequired.elicit(asked) } });
      ran("book");
      const people = acceptedContent<{ people: number }>(given, "people")?.people;
      return text(people === undefined ? "not booked" : `booked for ${people}`);
    },
  );
  server.registerTool(
    "interview",
    { description: "Asks twelve questions at once.", inputSchema: z.object({}) },
    async (_args, ctx) => {
      const asked = {
        message: "And then?",
        requestedSchema: { type: "object" as const, properties: { answer: { type: "string" as const } } },
      };
      const questions = Array.from({ length: 12 }, (_, number) => `q${number}`);
      // oxlint-disable-next-line typescript/no-deprecated -- how servers of the older era ask
      const askNow = () => Promise.all(questions.map(() => ctx.mcpReq.elicitInput(asked)));
      const given = era === "old" ? await askNow() : Object.values(ctx.mcpReq.inputResponses ?? {});
      if (given.length === 0)
        return inputRequired({
          inputRequests: Object.fromEntries(questions.map((id) => [id, inputRequired.elicit(asked)])),
        });
      return text(`${JSON.stringify(given).split('"accept"').length - 1} of ${given.length} answered`);
    },
  );
  if (bearer !== undefined)
    server.registerTool(
      "whoami",
      { description: `Says that you are ${bearer}.`, inputSchema: z.object({}), annotations: HINTS },
      async () => text(bearer),
    );
  if (hasLater) registerLater(server);
}

/** The tool that is added while the server runs. */
export function registerLater(server: McpServer): void {
  server.registerTool(
    "later",
    { description: "Was added later.", inputSchema: z.object({}), annotations: HINTS },
    async () => text("later was called"),
  );
}
