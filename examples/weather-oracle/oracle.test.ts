import { testOracle } from "twinedge/oracle/testing";
import { expect, test } from "vitest";
import weather from "./oracle.ts";

test("the tool gives the weather and shows it as a card, after the middleware's notice", async () => {
  const oracle = await testOracle(weather.options);
  const turn = await oracle.say('/tool get_weather {"city":"Nairobi"}');
  expect(turn.toolCalls).toMatchObject([{ name: "get_weather", output: { city: "Nairobi", celsius: 15 } }]);
  const card = turn.events.find(({ name }) => name === "render_component");
  expect(card?.payload).toMatchObject({ componentName: "WeatherCard", args: { celsius: 15 } });
  expect(JSON.stringify(turn.frames)).toContain("This weather is made up.");
});

test("the route needs no authentication and refuses a city that is too long", async () => {
  const oracle = await testOracle(weather.options);
  const answered = await oracle.fetch("/weather/Kisumu", { anonymous: true });
  expect(await answered.json()).toEqual({ city: "Kisumu", celsius: 14 });
  expect((await oracle.fetch(`/weather/${"a".repeat(81)}`, { anonymous: true })).status).toBe(404);
});
