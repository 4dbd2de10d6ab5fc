/**
 * Every check of the suite by requirement area, except the checks of the smoke profile. Within `conformance`, only the
 * runner imports this list.
 *
 * A check judges recorded responses. What is allowed is defined in `spec/`, from which the tables in `generated/` and
 * the sentences of the requirements come. Where the contract is silent, every choice passes. A folder may judge the
 * requirements of several areas.
 */
import type { Check } from '../core/check.ts';
import { accountChecks, answerChecks, requestRateChecks } from './interface/checks-answers.ts';
import { authenticationChecks } from './authentication/checks.ts';
import { browserClientChecks } from './browser-clients/checks.ts';
import { browserCreationChecks } from './browsers/checks-creation.ts';
import { browserDrivingChecks, browserLifeChecks } from './browsers/checks-driving.ts';
import { browserEgressChecks } from './browsers/checks-egress.ts';
import { browserBillingChecks } from './browsers/checks-bills.ts';
import { browserStopChecks } from './browsers/checks-stop.ts';
import { profileChecks } from './profiles/checks.ts';
import { browserProfileChecks } from './profiles/checks-browser-profiles.ts';
import { createdJobChecks, runRefusalChecks } from './v4-runs/checks-creation.ts';
import { errorBodyChecks, levelTextChecks, refusalSideEffectChecks, refusedEffectChecks } from './errors/checks.ts';
import { followUpChecks } from './lifecycle/checks-follow-ups.ts';
import { foreignStorageChecks, workspaceChecks, workspaceFileChecks } from './workspaces/checks.ts';
import { generationChecks } from './versioning/checks.ts';
import { boundChecks } from './interface/checks-bounds.ts';
import { interfaceChecks } from './interface/checks.ts';
import { malformedInputChecks } from './errors/checks-malformed-input.ts';
import { recordingChecks } from './recordings/checks.ts';
import { runEventChecks, runEventPageChecks } from './v4-events/checks.ts';
import { sessionAddressChecks } from './v3-sessions/checks-addresses.ts';
import { sessionFieldChecks } from './v3-sessions/checks-fields.ts';
import { sessionValueChecks } from './v3-sessions/checks-values.ts';
import { sessionFailureChecks, sessionLifeChecks } from './lifecycle/checks.ts';
import { sessionRefusalChecks, sessionRequestChecks } from './v3-sessions/checks-creation.ts';
import { statefulChecks } from './stateful/checks.ts';
import { taskRefusalChecks, taskViewChecks } from './v2-tasks/checks.ts';
import { tenancyChecks } from './tenancy/checks.ts';
import { browserFilterChecks, browserViewChecks, liveViewChecks } from './browser-views/checks.ts';
import { runAttachmentChecks, runMemberChecks } from './v4-runs/checks-members.ts';
import { secretChecks } from './secrets/checks.ts';
import { shareChecks } from './shares/checks.ts';
import { uploadFormChecks } from './v2-files/checks.ts';
import { runQueueChecks } from './v4-sessions/checks-queue.ts';
import { runSessionChecks } from './v4-sessions/checks.ts';
import { runViewChecks } from './v4-runs/checks-views.ts';
import { sessionMessageChecks } from './v3-messages/checks.ts';
import { sessionViewChecks } from './v3-sessions/checks-views.ts';
import { taskListChecks } from './v2-tasks/checks-lists.ts';
import { taskSessionChecks } from './v2-sessions/checks.ts';
import { watchedJobChecks } from './v4-runs/checks-course.ts';
import { watchedTogetherChecks } from './v4-runs/checks-watched.ts';
import { providerMemoryChecks } from './providers/checks-memory.ts';
import { providerMappingChecks } from './providers/checks.ts';
import { providerParamChecks, providerRouteChecks } from './providers/checks-params.ts';
import { pageChecks } from './pages/checks.ts';
import { twoKeysChecks } from './tenancy/checks-two-keys.ts';
import { listPageChecks, readBackChecks, recordValueChecks } from './values/checks.ts';
import { addressChecks } from './addresses/checks.ts';
import { identityChecks } from './values/checks-identity.ts';
import { sessionContinuityChecks } from './v3-sessions/checks-continuity.ts';
import { sessionHistoryChecks } from './v3-sessions/checks-history.ts';
import { sessionTimeChecks } from './v3-sessions/checks-history-times.ts';
import { sessionWorkChecks } from './v3-sessions/checks-work.ts';
import { sessionUnsetChecks } from './v3-sessions/checks-unset.ts';
import { parityChecks } from './values/checks-parity.ts';
import { recordEndChecks } from './values/checks-record-ends.ts';

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
  ...sessionTimeChecks,
  ...sessionWorkChecks,
  ...sessionHistoryChecks,
  ...sessionContinuityChecks,
  ...sessionUnsetChecks,
  ...identityChecks,
  ...createdJobChecks,
  ...watchedJobChecks,
  ...watchedTogetherChecks,
  ...runEventChecks,
  ...tenancyChecks,
  ...browserCreationChecks,
  ...browserClientChecks,
  ...browserProfileChecks,
  ...browserEgressChecks,
  ...browserDrivingChecks,
  ...browserBillingChecks,
  ...browserLifeChecks,
  ...browserStopChecks,
  ...interfaceChecks,
  ...boundChecks,
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
  ...runMemberChecks,
  ...secretChecks,
  ...providerMappingChecks,
  ...providerParamChecks,
  ...providerRouteChecks,
  ...providerMemoryChecks,
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
