/** The steps of the tour, in the order of the conversation. */
import type { TourStep } from "./step.ts";
import { attachFiles } from "./steps/attachments.ts";
import { runOutAndTopUp } from "./steps/credits.ts";
import { rememberAndRecall } from "./steps/memory.ts";
import { askByPhone } from "./steps/phone.ts";
import { signInToServer } from "./steps/sign-in.ts";
import { answerMention } from "./steps/slack.ts";
import { askWhyNotVerified } from "./steps/verification.ts";

export const tourSteps: readonly TourStep[] = [
  attachFiles,
  signInToServer,
  rememberAndRecall,
  askWhyNotVerified,
  runOutAndTopUp,
  answerMention,
  askByPhone,
];
