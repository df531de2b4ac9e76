/** Plugin attachments: an encrypted image and a PDF are sent with one message, and the oracle reads both. */
import { redPixel } from "../../../test/support/peers/media-files.ts";
import type { TourStep } from "../step.ts";
import { expectThat } from "../expect-that.ts";

export const attachFiles: TourStep = {
  title: "The user attaches an encrypted image and a PDF",
  async run({ peers: { media }, user, sessionId }) {
    const { encryptedImage, pdf } = media.attachments;
    const { text } = await user.say(sessionId, "What is in these files?", { attachments: [encryptedImage, pdf] });
    const image = `Image: image/png, ${redPixel.byteLength} bytes`;
    expectThat(text.includes(image), `the decrypted image ("${image}")`, text);
    expectThat(text.includes("The harvest was 42 tonnes."), "the text of the PDF", text);
    const downloads = media.requests.filter(({ host }) => host === "homeserver");
    expectThat(
      downloads.length > 1 && downloads.every(({ authorization }) => authorization === `Bearer ${media.botToken}`),
      "authenticated downloads from the homeserver",
      downloads,
    );
    return [`the model saw: ${image}`, "and read: The harvest was 42 tonnes.", `${downloads.length} downloads`];
  },
};
