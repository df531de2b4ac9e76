import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import * as z from "zod";
import type { IComponentMetadata, MessageContent, UIComponents } from "./message-content.ts";
import { OraclesProvider } from "./oracles-provider.tsx";
import { renderMessageContent } from "./message-mapping.tsx";
import { useOraclesContext } from "./use-oracles-context.ts";

const dump = (name: string) =>
  function Dump(props: object) {
    return <p>{`${name} ${JSON.stringify(props)}`}</p>;
  };
const components: UIComponents = {
  ToolCall: dump("ToolCall"),
  Error: dump("Error"),
  Chart: dump("Chart"),
};

const draw = (content: MessageContent, uiComponents?: UIComponents): string =>
  renderToStaticMarkup(<>{renderMessageContent(content, uiComponents)}</>).replaceAll("&quot;", '"');

const call = (name: string, props: Partial<IComponentMetadata["props"]> = {}): IComponentMetadata => ({
  name,
  props: { id: "c1", args: { a: 1 }, status: "done", output: "{}", isToolCall: true, toolName: "weather", ...props },
});

test("a text is rendered unchanged, even in a list [SD-128]", () => {
  expect(renderMessageContent("hello")).toBe("hello");
  expect(draw(["a", "b"])).toBe("ab");
});

test("a call is rendered by the component of its name, or else by ToolCall; without uiComponents not at all [SD-128]", () => {
  const payload = { sessionId: "s", requestId: "r", eventId: "e", toolName: "weather" };
  expect(draw(call("weather", { payload }), components)).toBe(
    '<p>ToolCall {"id":"c1","args":{"a":1},"status":"done","output":"{}","isLoading":false,"requestId":"r","sessionId":"s","toolName":"weather","eventId":"e"}</p>',
  );
  expect(draw(call("Chart", { status: "isRunning" }), components)).toContain('"isLoading":true');
  expect(draw(["text", call("weather")])).toBe("text");
});

test("a component gets its arguments as props, an error its sentence [SD-128]", () => {
  const chart: IComponentMetadata = { name: "Chart", props: { id: "1", args: { points: [1] }, status: "done" } };
  expect(draw(chart, components)).toBe('<p>Chart {"points":[1],"id":"1","status":"done","isLoading":false}</p>');
  const error: IComponentMetadata = {
    name: "Error",
    props: {
      id: "error",
      args: {},
      status: "done",
      output: "Too long.",
      payload: { error: "Too long.", timestamp: "" },
    },
  };
  expect(draw(error, components)).toContain('Error {"id":"error","args":{},"status":"done","output":"Too long."');
});

test("content without a component is not rendered, whatever its name [SD-128]", () => {
  const { Chart } = components;
  const few = { Chart } as unknown as UIComponents;
  for (const name of ["constructor", "toString", "__proto__", "weather"]) expect(draw(call(name), few)).toBe("");
  expect(draw(call("Chart", { args: null }), components)).toBe("");
});

test("an action without a render is rendered by AgActionToolCall, or else by ToolCall [SD-129]", () => {
  const action = call("show_table", { isToolCall: false, isAgAction: true, status: "error", error: "no" });
  expect(draw(action, { ...components, AgActionToolCall: dump("Action") })).toContain(
    'Action {"id":"c1","actionName":"show_table"',
  );
  expect(draw(action, components)).toContain('"error":"no","isLoading":false}');
  expect(draw(action)).toBe("");
});

/** Registers while it renders: effects do not run on a server. */
function Register({ children, render }: React.PropsWithChildren<{ render: (props: object) => React.ReactElement }>) {
  const { registerAgAction } = useOraclesContext();
  const parameters = z.object({ rows: z.number().default(2) });
  registerAgAction({ name: "show_table", description: "", parameters, hasRender: true }, () => null, render);
  return children;
}

test("the render of an action gets its status, parsed arguments and the handler's result [SD-129]", () => {
  const wallet = { address: "ixo1", did: "did:x:1", matrix: { accessToken: "", homeServer: "" } };
  const drawAction = (props: Partial<IComponentMetadata["props"]>): string =>
    renderToStaticMarkup(
      <OraclesProvider
        initialWallet={wallet}
        transactSignX={async () => undefined}
        createDelegation={async () => ({ serialized: "x", expiresAt: 0 })}
      >
        <Register render={(shown) => <b>{JSON.stringify(shown)}</b>}>
          {renderMessageContent(
            call("show_table", { isToolCall: false, isAgAction: true, args: {}, ...props }),
            components,
          )}
        </Register>
      </OraclesProvider>,
    ).replaceAll("&quot;", '"');
  expect(drawAction({ status: "isRunning", output: "" })).toBe(
    '<b>{"status":"isRunning","args":{"rows":2},"isLoading":true}</b>',
  );
  expect(drawAction({ output: '{"shown":2}' })).toBe(
    '<b>{"status":"done","args":{"rows":2},"result":{"shown":2},"isLoading":false}</b>',
  );
  expect(drawAction({ status: "error", error: "The page is gone." })).toBe(
    '<b>{"status":"done","args":{"rows":2},"result":{"error":"The page is gone."},"isLoading":false}</b>',
  );
  expect(drawAction({ args: { rows: "many" }, output: "plain" })).toBe(
    '<b>{"status":"done","args":{"rows":"many"},"result":"plain","isLoading":false}</b>',
  );
});

test("arguments become props, except React's own and members that change the object [SD-128]", () => {
  const args = JSON.parse('{"title":"T","key":"k","ref":"r","__proto__":{"evil":true},"constructor":1}') as object;
  const seen: Record<string, unknown>[] = [];
  const Chart = (props: Record<string, unknown>) => {
    seen.push(props);
    return null;
  };
  draw(call("Chart", { args, isToolCall: false }), { ...components, Chart });
  expect(seen).toEqual([{ id: "c1", title: "T", constructor: 1, status: "done", isLoading: false }]);
  expect([seen[0]?.["evil"], seen[0]?.["ref"]]).toEqual([undefined, undefined]);
});

test("no argument writes HTML through a component that spreads its props, or replaces its id [SD-287]", () => {
  const args = { dangerouslySetInnerHTML: { __html: "<img src=x>" }, id: "forged", status: "error", title: "T" };
  const Card = ({ status: _status, isLoading: _isLoading, ...rest }: Record<string, unknown>) => <div {...rest} />;
  const html = draw(call("Card", { args, isToolCall: false }), { ...components, Card });
  expect(html).toBe('<div id="c1" title="T"></div>');
});

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
  "a call of %s is drawn as any other [SD-128]",
  (name) => {
    expect(draw(call(name), components)).toContain(`"toolName":"${name}"`);
    expect(draw(call(name), { Error: components.Error } as UIComponents)).toBe("");
  },
);
