/** An oracle in one file: a plugin with a tool that shows a card, a public route and a middleware, and the Worker itself. */
import { createOracleApp, defineOraclePlugin, route, tool, z } from "twinedge/oracle";

const place = z.object({ city: z.string().max(80) });
const weatherIn = (city: string) => ({ city, celsius: 8 + (city.length % 20) });

const getWeather = tool(
  ({ city }, ctx) => {
    const args = weatherIn(city);
    ctx.emit("render_component", { componentName: "WeatherCard", args, status: "done", eventId: ctx.toolCallId });
    return args;
  },
  { name: "get_weather", description: "The weather in a city now", schema: place, effect: "read" },
);
const readWeather = route({
  method: "GET",
  path: "/weather/:city",
  public: true,
  params: place,
  handler: (_request, { params }) => Response.json(weatherIn(params.city)),
});
const weather = defineOraclePlugin({
  name: "weather",
  version: "1.0.0",
  manifest: { title: "Weather", summary: "The weather in a city.", whenToUse: ["weather"], visibility: "always" },
  getTools: () => [getWeather],
  getRoutes: () => [readWeather],
  getMiddlewares: () => [{ name: "demo", beforeAgent: (_, ctx) => ctx.notice("This weather is made up.", "demo") }],
});

const oracle = createOracleApp({ config: { name: "Weather" }, plugins: [weather] });
export default oracle;
export class ChatSession extends oracle.ChatSession {}
export class UserVault extends oracle.UserVault {}
