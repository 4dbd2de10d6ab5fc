/**
 * Every check of the suite, one file per area. Called by run.ts only. A check judges; it never decides what is legal by
 * itself: tables come from generated/, the sentence from the registry, and where the contract is silent every choice passes.
 */
import type { Check } from '../core/check.ts';
import { accountChecks } from './interface/checks-part-account.ts';
import { answerChecks } from './interface/checks-part-answers.ts';
import { requestRateChecks } from './interface/checks-part-request-rates.ts';
import { authenticationChecks } from './authentication/checks.ts';
import { browserClientChecks } from './browser-clients/checks.ts';
import { browserCreationChecks } from './browsers/checks-part-browser-creation.ts';
import { browserDrivingChecks } from './browsers/checks-part-browser-driving.ts';
import { browserProfileChecks } from './profiles/checks-part-browser-profiles.ts';
import { browserEgressChecks } from './browsers/checks-part-browser-egress.ts';
import { browserLifeChecks } from './browsers/checks-part-browser-life.ts';
import { browserStopChecks } from './browsers/checks-part-browser-stop.ts';
import { createdJobChecks } from './v4-runs/checks-part-created-jobs.ts';
import { errorBodyChecks } from './errors/checks-part-error-bodies.ts';
import { followUpChecks } from './lifecycle/checks-follow-ups.ts';
import { foreignStorageChecks } from './workspaces/checks-part-foreign-storage.ts';
import { generationChecks } from './versioning/checks.ts';
import { interfaceChecks } from './interface/checks.ts';
import { levelTextChecks } from './errors/checks-part-level-texts.ts';
import { malformedInputChecks } from './errors/checks-malformed-input.ts';
import { profileChecks } from './profiles/checks-part-profiles.ts';
import { refusalSideEffectChecks } from './errors/checks-part-refusal-side-effects.ts';
import { recordingChecks } from './recordings/checks.ts';
import { runEventChecks } from './v4-events/checks-part-run-events.ts';
import { runRefusalChecks } from './v4-runs/checks-part-run-refusals.ts';
import { sessionAddressChecks } from './v3-sessions/checks-addresses.ts';
import { sessionFieldChecks } from './v3-sessions/checks-part-session-fields.ts';
import { sessionFailureChecks } from './lifecycle/checks-part-session-failures.ts';
import { sessionLifeChecks } from './lifecycle/checks-part-session-life.ts';
import { sessionRefusalChecks } from './v3-sessions/checks-part-session-refusals.ts';
import { sessionRequestChecks } from './v3-sessions/checks-part-session-requests.ts';
import { sessionValueChecks } from './v3-sessions/checks-part-session-values.ts';
import { statefulChecks } from './stateful/checks.ts';
import { taskRefusalChecks } from './v2-tasks/checks-part-task-refusals.ts';
import { tenancyChecks } from './tenancy/checks.ts';
import { browserFilterChecks } from './browser-views/checks-part-browser-filters.ts';
import { runAttachmentChecks } from './v4-runs/checks-part-run-attachments.ts';
import { runDeskChecks } from './v4-runs/checks-part-run-desk.ts';
import { secretChecks } from './secrets/checks.ts';
import { shareChecks } from './shares/checks.ts';
import { uploadFormChecks } from './v2-files/checks.ts';
import { browserViewChecks } from './browser-views/checks-part-browser-views.ts';
import { liveViewChecks } from './browser-views/checks-part-live-views.ts';
import { runEventPageChecks } from './v4-events/checks-part-run-event-pages.ts';
import { runQueueChecks } from './v4-sessions/checks-queue.ts';
import { runSessionChecks } from './v4-sessions/checks.ts';
import { runViewChecks } from './v4-runs/checks-views.ts';
import { sessionMessageChecks } from './v3-messages/checks.ts';
import { sessionViewChecks } from './v3-sessions/checks-views.ts';
import { taskListChecks } from './v2-tasks/checks-lists.ts';
import { taskSessionChecks } from './v2-sessions/checks.ts';
import { taskViewChecks } from './v2-tasks/checks-part-task-views.ts';
import { watchedJobChecks } from './v4-runs/checks-course.ts';
import { workspaceFileChecks } from './workspaces/checks-part-workspace-files.ts';
import { providerMappingChecks } from './providers/checks.ts';
import { providerParamChecks } from './providers/checks-part-provider-params.ts';
import { providerRouteChecks } from './providers/checks-part-provider-routes.ts';
import { pageChecks } from './pages/checks.ts';
import { refusedEffectChecks } from './errors/checks-part-refused-effects.ts';
import { twoKeysChecks } from './tenancy/checks-part-two-keys.ts';
import { workspaceChecks } from './workspaces/checks-part-workspaces.ts';
import { listPageChecks } from './values/checks-part-list-pages.ts';
import { addressChecks } from './addresses/checks.ts';
import { parityChecks } from './values/checks-parity.ts';
import { readBackChecks } from './values/checks-part-read-backs.ts';
import { recordEndChecks } from './values/checks-record-ends.ts';
import { recordValueChecks } from './values/checks-part-record-values.ts';

/** All checks. */
export const checks: readonly Check[] = [
  ...authenticationChecks,
  ...sessionRefusalChecks,
  ...taskRefusalChecks,
  ...runRefusalChecks,
  ...levelTextChecks,
  ...malformedInputChecks,
  ...errorBodyChecks,
  ...refusalSideEffectChecks,
  ...generationChecks,
  ...sessionRequestChecks,
  ...sessionLifeChecks,
  ...sessionFailureChecks,
  ...sessionValueChecks,
  ...sessionAddressChecks,
  ...followUpChecks,
  ...sessionFieldChecks,
  ...createdJobChecks,
  ...watchedJobChecks,
  ...runEventChecks,
  ...tenancyChecks,
  ...browserCreationChecks,
  ...browserClientChecks,
  ...browserProfileChecks,
  ...browserEgressChecks,
  ...browserDrivingChecks,
  ...browserLifeChecks,
  ...browserStopChecks,
  ...interfaceChecks,
  ...accountChecks,
  ...profileChecks,
  ...workspaceChecks,
  ...foreignStorageChecks,
  ...workspaceFileChecks,
  ...taskViewChecks,
  ...taskSessionChecks,
  ...taskListChecks,
  ...sessionViewChecks,
  ...sessionMessageChecks,
  ...runViewChecks,
  ...runSessionChecks,
  ...runQueueChecks,
  ...runEventPageChecks,
  ...browserViewChecks,
  ...liveViewChecks,
  ...recordingChecks,
  ...browserFilterChecks,
  ...uploadFormChecks,
  ...shareChecks,
  ...runAttachmentChecks,
  ...runDeskChecks,
  ...secretChecks,
  ...providerMappingChecks,
  ...providerParamChecks,
  ...providerRouteChecks,
  ...twoKeysChecks,
  ...pageChecks,
  ...refusedEffectChecks,
  ...statefulChecks,
  ...answerChecks,
  ...requestRateChecks,
  ...recordValueChecks,
  ...recordEndChecks,
  ...readBackChecks,
  ...listPageChecks,
  ...parityChecks,
  ...addressChecks,
];
