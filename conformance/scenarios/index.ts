/**
 * What drives a target once, so that many checks can judge the recording. Called by the runner, at most once per run and
 * scenario. A scenario sends and observes; it never judges, and it books everything that it creates.
 */
import type { AnyScenario } from '../harness/scenario.ts';
import { acceptedRuns, acceptedTasks } from './accepted-jobs.ts';
import { acceptedLevels } from './accepted-levels.ts';
import { clockedSession } from './clocked-session.ts';
import { clockedBrowser } from './clocked-browser.ts';
import { codeSession } from './code-session.ts';
import { countryBrowsers } from './country-browsers.ts';
import { drivenBrowser } from './driven-browser.ts';
import { egressBrowsers } from './egress-browsers.ts';
import { earlyFollowUp } from './early-follow-up.ts';
import { emptiedBrowser } from './emptied-browser.ts';
import { emptySession } from './empty-session.ts';
import { equippedSession } from './equipped-session.ts';
import { crashedSession, failedStart } from './failed-sandboxes.ts';
import { failingSession } from './failing-session.ts';
import { foreignProfile, foreignWorkspace } from './foreign-storage.ts';
import { guardedBrowser } from './guarded-browser.ts';
import { interruptedRun, interruptedTask } from './interrupted-job.ts';
import { interruptedSession } from './interrupted-session.ts';
import { keptSession } from './kept-session.ts';
import { judgedTask } from './judged-task.ts';
import { oneShotRun, oneShotTask } from './one-shot-job.ts';
import { oneShotSession } from './one-shot-session.ts';
import { emptyParamsRun, optionTasks } from './option-jobs.ts';
import { ownKeyRefusals } from './own-key-refusals.ts';
import { ownKeySession } from './own-key-session.ts';
import { profiledBrowsers } from './profiled-browsers.ts';
import { profileLives } from './profiles.ts';
import { refusalSideEffects } from './refusal-side-effects.ts';
import { runRefusals } from './run-refusals.ts';
import { runDesk } from './run-desk.ts';
import { secretSession } from './secret-session.ts';
import { taskDesk } from './task-desk.ts';
import { providerRuns, providerSessions, providerTasks } from './provider-calls.ts';
import { providerKeys } from './provider-keys.ts';
import { proxiedBrowser } from './proxied-browser.ts';
import { proxiedSession } from './proxied-session.ts';
import { sessionRefusals } from './session-refusals.ts';
import { statelessRecord } from './stateless-record.ts';
import { structuredSession } from './structured-session.ts';
import { messageSession } from './message-session.ts';
import { runQueue } from './run-queue.ts';
import { runSession } from './run-session.ts';
import { taskSession } from './task-session.ts';
import { taskSessionStop } from './task-session-stop.ts';
import { recordedBrowsers } from './recorded-browser.ts';
import { viewedBrowsers } from './viewed-browser.ts';
import { tenancyBrowser } from './tenancy-browser.ts';
import { clockedAddresses } from './clocked-addresses.ts';
import { taskRefusals } from './task-refusals.ts';
import { toleratedStorage, toleratedTasks } from './unknown-members.ts';
import { fileLives } from './workspace-files.ts';
import { refusedChanges } from './refused-changes.ts';
import { refusedCreations } from './refused-creations.ts';
import { pagedLists } from './paged-lists.ts';
import { pagedStorage } from './paged-storage.ts';
import { twoKeysStorage } from './two-keys-storage.ts';
import { workspaceLives } from './workspaces.ts';
import { statefulBrowsers, statefulRuns, statefulSessions, statefulTasks } from '../stateful/index.ts';
import { tenancyRun, tenancySession, tenancyTask } from './tenancy.ts';

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
