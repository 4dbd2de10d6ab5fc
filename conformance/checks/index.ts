/**
 * Every check of the suite, one file per area. Called by run.ts only. A check judges; it never decides what is legal by
 * itself: tables come from generated/, the sentence from the registry, and where the contract is silent every choice passes.
 */
import type { Check } from '../harness/check.ts';
import { accountChecks } from './account.ts';
import { answerChecks } from './answers.ts';
import { requestRateChecks } from './request-rates.ts';
import { authenticationChecks } from './authentication.ts';
import { browserClientChecks } from './browser-clients.ts';
import { browserCreationChecks } from './browser-creation.ts';
import { browserDrivingChecks } from './browser-driving.ts';
import { browserProfileChecks } from './browser-profiles.ts';
import { browserEgressChecks } from './browser-egress.ts';
import { browserLifeChecks } from './browser-life.ts';
import { browserStopChecks } from './browser-stop.ts';
import { createdJobChecks } from './created-jobs.ts';
import { errorBodyChecks } from './error-bodies.ts';
import { followUpChecks } from './follow-ups.ts';
import { foreignStorageChecks } from './foreign-storage.ts';
import { generationChecks } from './generations.ts';
import { interfaceChecks } from './interface.ts';
import { levelTextChecks } from './level-texts.ts';
import { malformedInputChecks } from './malformed-input.ts';
import { profileChecks } from './profiles.ts';
import { refusalSideEffectChecks } from './refusal-side-effects.ts';
import { recordingChecks } from './recordings.ts';
import { runEventChecks } from './run-events.ts';
import { runRefusalChecks } from './run-refusals.ts';
import { sessionAddressChecks } from './session-addresses.ts';
import { sessionFieldChecks } from './session-fields.ts';
import { sessionFailureChecks } from './session-failures.ts';
import { sessionLifeChecks } from './session-life.ts';
import { sessionRefusalChecks } from './session-refusals.ts';
import { sessionRequestChecks } from './session-requests.ts';
import { sessionValueChecks } from './session-values.ts';
import { statefulChecks } from './stateful.ts';
import { taskRefusalChecks } from './task-refusals.ts';
import { tenancyChecks } from './tenancy.ts';
import { browserFilterChecks } from './browser-filters.ts';
import { runAttachmentChecks } from './run-attachments.ts';
import { runDeskChecks } from './run-desk.ts';
import { secretChecks } from './secrets.ts';
import { shareChecks } from './shares.ts';
import { uploadFormChecks } from './upload-forms.ts';
import { browserViewChecks } from './browser-views.ts';
import { liveViewChecks } from './live-views.ts';
import { runEventPageChecks } from './run-event-pages.ts';
import { runQueueChecks } from './run-queues.ts';
import { runSessionChecks } from './run-sessions.ts';
import { runViewChecks } from './run-views.ts';
import { sessionMessageChecks } from './session-messages.ts';
import { sessionViewChecks } from './session-views.ts';
import { taskListChecks } from './task-lists.ts';
import { taskSessionChecks } from './task-sessions.ts';
import { taskViewChecks } from './task-views.ts';
import { watchedJobChecks } from './watched-jobs.ts';
import { workspaceFileChecks } from './workspace-files.ts';
import { providerMappingChecks } from './provider-mapping.ts';
import { providerParamChecks } from './provider-params.ts';
import { providerRouteChecks } from './provider-routes.ts';
import { pageChecks } from './pages.ts';
import { refusedEffectChecks } from './refused-effects.ts';
import { twoKeysChecks } from './two-keys.ts';
import { workspaceChecks } from './workspaces.ts';
import { listPageChecks } from './list-pages.ts';
import { addressChecks } from './addresses.ts';
import { parityChecks } from './parity.ts';
import { readBackChecks } from './read-backs.ts';
import { recordEndChecks } from './record-ends.ts';
import { recordValueChecks } from './record-values.ts';

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
