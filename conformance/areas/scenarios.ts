/**
 * What drives a target once, so that many checks can judge the recording. Called by the runner, at most once per run and
 * scenario. A scenario sends and observes; it never judges, and it books everything that it creates.
 */
import type { AnyScenario } from '../core/scenario.ts';
import { acceptedRuns, acceptedTasks } from './v4-runs/scenarios-part-accepted-jobs.ts';
import { acceptedLevels } from './v3-sessions/scenarios-part-accepted-levels.ts';
import { clockedSession } from './v3-sessions/scenarios-part-clocked-session.ts';
import { clockedBrowser } from './browsers/scenarios-part-clocked-browser.ts';
import { codeSession } from './v3-sessions/scenarios-part-code-session.ts';
import { countryBrowsers } from './browsers/scenarios-part-country-browsers.ts';
import { drivenBrowser } from './browsers/scenarios-part-driven-browser.ts';
import { egressBrowsers } from './browsers/scenarios-part-egress-browsers.ts';
import { earlyFollowUp } from './v3-sessions/scenarios-part-early-follow-up.ts';
import { emptiedBrowser } from './browsers/scenarios-part-emptied-browser.ts';
import { emptySession } from './v3-sessions/scenarios-part-empty-session.ts';
import { equippedSession } from './v3-sessions/scenarios-part-equipped-session.ts';
import { crashedSession, failedStart } from './lifecycle/scenarios.ts';
import { failingSession } from './v3-sessions/scenarios-part-failing-session.ts';
import { foreignProfile, foreignWorkspace } from './workspaces/scenarios-foreign.ts';
import { guardedBrowser } from './browser-clients/scenarios-part-guarded-browser.ts';
import { interruptedRun, interruptedTask } from './v4-runs/scenarios.ts';
import { interruptedSession } from './v3-sessions/scenarios-part-interrupted-session.ts';
import { keptSession } from './v3-sessions/scenarios-part-kept-session.ts';
import { judgedTask } from './v2-tasks/scenarios-part-judged-task.ts';
import { oneShotRun, oneShotTask } from './common/scenarios-part-one-shot-job.ts';
import { oneShotSession } from './common/scenarios-part-one-shot-session.ts';
import { emptyParamsRun, optionTasks } from './v4-runs/scenarios-part-option-jobs.ts';
import { ownKeyRefusals } from './v3-sessions/scenarios-part-own-key-refusals.ts';
import { ownKeySession } from './v3-sessions/scenarios-part-own-key-session.ts';
import { profiledBrowsers } from './profiles/scenarios-browsers.ts';
import { profileLives } from './profiles/scenarios.ts';
import { refusalSideEffects } from './errors/scenarios-part-refusal-side-effects.ts';
import { runRefusals } from './v4-runs/scenarios-part-run-refusals.ts';
import { runDesk } from './v4-runs/scenarios-members.ts';
import { secretSession } from './secrets/scenarios-part-secret-session.ts';
import { taskDesk } from './v2-tasks/scenarios-options.ts';
import { providerRuns, providerSessions, providerTasks } from './providers/scenarios-part-provider-calls.ts';
import { providerKeys } from './providers/scenarios-part-provider-keys.ts';
import { proxiedBrowser } from './secrets/scenarios-part-proxied-browser.ts';
import { proxiedSession } from './secrets/scenarios-part-proxied-session.ts';
import { sessionRefusals } from './v3-sessions/scenarios-part-session-refusals.ts';
import { statelessRecord } from './common/scenarios-part-stateless-record.ts';
import { structuredSession } from './v3-sessions/scenarios-part-structured-session.ts';
import { messageSession } from './v3-messages/scenarios-part-message-session.ts';
import { runQueue } from './v4-sessions/scenarios-queue.ts';
import { runSession } from './v4-sessions/scenarios-part-run-session.ts';
import { taskSession } from './v2-tasks/scenarios-part-task-session.ts';
import { taskSessionStop } from './v2-sessions/scenarios.ts';
import { recordedBrowsers } from './recordings/scenarios-part-recorded-browser.ts';
import { viewedBrowsers } from './browser-views/scenarios-part-viewed-browser.ts';
import { tenancyBrowser } from './tenancy/scenarios-part-tenancy-browser.ts';
import { clockedAddresses } from './addresses/scenarios.ts';
import { taskRefusals } from './v2-tasks/scenarios-part-task-refusals.ts';
import { toleratedStorage, toleratedTasks } from './interface/scenarios.ts';
import { fileLives } from './workspaces/scenarios-part-workspace-files.ts';
import { refusedChanges } from './errors/scenarios-part-refused-changes.ts';
import { refusedCreations } from './errors/scenarios-refused-creations.ts';
import { pagedLists } from './pages/scenarios-part-paged-lists.ts';
import { pagedStorage } from './pages/scenarios-storage.ts';
import { twoKeysStorage } from './tenancy/scenarios-storage.ts';
import { workspaceLives } from './workspaces/scenarios.ts';
import { statefulBrowsers, statefulRuns, statefulSessions, statefulTasks } from '../properties/stateful/index.ts';
import { tenancyRun, tenancySession, tenancyTask } from './tenancy/scenarios-part-tenancy.ts';

/** Every scenario; within a dispatch limit the earlier ones come first. */
export const scenarios: readonly AnyScenario[] = [
  taskRefusals,
  sessionRefusals,
  runRefusals,
  ownKeyRefusals,
  refusalSideEffects,
  statelessRecord,
  profileLives,
  profiledBrowsers,
  workspaceLives,
  fileLives,
  toleratedStorage,
  foreignProfile,
  foreignWorkspace,
  twoKeysStorage,
  refusedCreations,
  refusedChanges,
  pagedLists,
  pagedStorage,
  drivenBrowser,
  countryBrowsers,
  guardedBrowser,
  egressBrowsers,
  clockedBrowser,
  emptiedBrowser,
  tenancyBrowser,
  oneShotSession,
  oneShotRun,
  oneShotTask,
  judgedTask,
  keptSession,
  failingSession,
  interruptedSession,
  interruptedRun,
  emptyParamsRun,
  optionTasks,
  structuredSession,
  codeSession,
  clockedSession,
  clockedAddresses,
  failedStart,
  crashedSession,
  equippedSession,
  earlyFollowUp,
  ownKeySession,
  emptySession,
  interruptedTask,
  toleratedTasks,
  tenancySession,
  tenancyTask,
  tenancyRun,
  messageSession,
  runQueue,
  runSession,
  taskSession,
  taskSessionStop,
  taskDesk,
  secretSession,
  runDesk,
  viewedBrowsers,
  recordedBrowsers,
  proxiedBrowser,
  proxiedSession,
  statefulBrowsers,
  statefulSessions,
  statefulRuns,
  statefulTasks,
  acceptedLevels,
  acceptedTasks,
  acceptedRuns,
  providerKeys,
  providerTasks,
  providerSessions,
  providerRuns,
];
