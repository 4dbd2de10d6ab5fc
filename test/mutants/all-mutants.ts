import type { Mutant } from './mutant.ts';
import { answerMutants } from './table/answers.ts';
import { authenticationMutants } from './table/authentication.ts';
import { eventMutants } from './table/events.ts';
import { browserClientMutants } from './table/browser-clients.ts';
import { browserProfileMutants } from './table/browser-profiles.ts';
import { browserEndMutants } from './table/browser-ends.ts';
import { browserMutants } from './table/browsers.ts';
import { fileMutants } from './table/files.ts';
import { inputMutants } from './table/inputs.ts';
import { interfaceMutants } from './table/interface.ts';
import { jobMutants } from './table/jobs.ts';
import { lastingEffectMutants } from './table/lasting-effects.ts';
import { laterTaskMutants } from './table/later-tasks.ts';
import { lifecycleMutants } from './table/lifecycle.ts';
import { matrixMutants } from './table/matrices.ts';
import { profileMutants } from './table/profiles.ts';
import { failureMutants } from './table/failures.ts';
import { refusedFollowUpMutants } from './table/refused-follow-ups.ts';
import { refusalMutants } from './table/refusals.ts';
import { recordMutants } from './table/records.ts';
import { runTextMutants } from './table/run-texts.ts';
import { statefulMutants } from './table/stateful.ts';
import { tenancyMutants } from './table/tenancy.ts';
import { textMutants } from './table/texts.ts';
import { pageMutants } from './table/pages.ts';
import { simultaneousMutants } from './table/simultaneous.ts';
import { sideEffectMutants } from './table/side-effects.ts';
import { twoKeysMutants } from './table/two-keys.ts';
import { workspaceMutants } from './table/workspaces.ts';
import { attachmentMutants, runMemberMutants } from './table/run-desk.ts';
import { secretMutants } from './table/secrets.ts';
import { shareMutants } from './table/shares.ts';
import { v2FileMutants } from './table/v2-files.ts';
import { recordingMutants } from './table/recordings.ts';
import { browserViewMutants } from './table/browser-views.ts';
import { liveViewMutants } from './table/live-views.ts';
import { v2SessionMutants, v2ViewMutants } from './table/v2-interface.ts';
import { v3MessageMutants, v3ViewMutants } from './table/v3-interface.ts';
import { v4EventPageMutants, v4SessionMutants, v4ViewMutants } from './table/v4-interface.ts';
import { v4QueueMutants } from './table/v4-queue.ts';
import { providerCallMutants } from './table/provider-calls.ts';
import { tokenMutants } from './table/tokens.ts';
import { addressMutants } from './table/addresses.ts';
import { continuityMutants } from './table/continuity.ts';
import { historyMutants, identityMutants } from './table/histories.ts';
import { parityMutants } from './table/parity.ts';
import { rareMutants } from './table/rare-values.ts';
import { requestRateMutants } from './table/request-rates.ts';
import { sessionMemberMutants } from './table/session-members.ts';
import { endMutants, readBackMutants, timeMutants } from './table/values.ts';

/** Every broken server. Ids are permanent. */
export const allMutants: readonly Mutant[] = [
  ...authenticationMutants,
  ...matrixMutants,
  ...textMutants,
  ...lifecycleMutants,
  ...recordMutants,
  ...refusalMutants,
  ...failureMutants,
  ...inputMutants,
  ...browserMutants,
  ...browserEndMutants,
  ...browserClientMutants,
  ...browserProfileMutants,
  ...jobMutants,
  ...runTextMutants,
  ...eventMutants,
  ...tenancyMutants,
  ...answerMutants,
  ...requestRateMutants,
  ...interfaceMutants,
  ...profileMutants,
  ...workspaceMutants,
  ...fileMutants,
  ...v2SessionMutants,
  ...v2ViewMutants,
  ...v3ViewMutants,
  ...v3MessageMutants,
  ...v4ViewMutants,
  ...v4EventPageMutants,
  ...v4SessionMutants,
  ...v4QueueMutants,
  ...browserViewMutants,
  ...liveViewMutants,
  ...recordingMutants,
  ...v2FileMutants,
  ...shareMutants,
  ...secretMutants,
  ...attachmentMutants,
  ...runMemberMutants,
  ...twoKeysMutants,
  ...pageMutants,
  ...sideEffectMutants,
  ...simultaneousMutants,
  ...lastingEffectMutants,
  ...laterTaskMutants,
  ...refusedFollowUpMutants,
  ...readBackMutants,
  ...timeMutants,
  ...endMutants,
  ...historyMutants,
  ...continuityMutants,
  ...identityMutants,
  ...parityMutants,
  ...addressMutants,
  ...providerCallMutants,
  ...tokenMutants,
  ...rareMutants,
  ...statefulMutants,
  ...sessionMemberMutants,
];
