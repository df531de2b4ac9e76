/** The steps of the tour, in the order of the conversation. */
import type { TourStep } from "./step.ts";
import { rememberAndRecall } from "./steps/memory.ts";
import { askWhyNotVerified } from "./steps/verification.ts";

export const tourSteps: readonly TourStep[] = [rememberAndRecall, askWhyNotVerified];
