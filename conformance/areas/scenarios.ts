/**
 * Scenarios: each sends requests to a target once, so that many checks can judge the recording. The runner calls a
 * scenario at most once per run. A scenario sends and observes; it never judges, and it records everything that it
 * creates in the ledger.
 */
import type { AnyScenario } from '../core/scenario.ts';
import { acceptedRuns, acceptedTasks } from './v4-runs/scenarios-accepted.ts';
import { optionTasks, runRefusals } from './v4-runs/scenarios-creation.ts';
import { acceptedLevels, equippedSession, ownKeySession, ownKeySpellings } from './v3-sessions/scenarios-creation.ts';
import { ownKeyRefusals, routeRefusals, sessionRefusals } from './v3-sessions/scenarios-refusals.ts';
import { codeSession, structuredSession, structuredFollowUp } from './v3-sessions/scenarios-outputs.ts';
import { clockedSession, earlyFollowUp, failingSession } from './v3-sessions/scenarios.ts';
import { emptySession } from './v3-sessions/scenarios-empty.ts';
import { billedBrowsers, clockedBrowser, emptiedBrowser } from './browsers/scenarios-lifetime.ts';
import { countryBrowsers } from './browsers/scenarios-countries.ts';
import { countryRuns, egressBrowsers } from './browsers/scenarios-egress.ts';
import { drivenBrowser } from './browsers/scenarios.ts';
import { crashedSession, failedStart, idleUploads } from './lifecycle/scenarios.ts';
import { foreignProfile, foreignWorkspace } from './workspaces/scenarios-foreign.ts';
import { guardedBrowser } from './browser-clients/scenarios.ts';
import { interruptedTask, oneShotRun } from './v4-runs/scenarios.ts';
import { refusedFollowUps } from './v3-sessions/scenarios-follow-ups.ts';
import { interruptedSession, keptSession } from './v3-sessions/scenarios-kept.ts';
import { judgedTask, taskRefusals, taskSession } from './v2-tasks/scenarios.ts';
import { oneShotTask } from '../common/one-shot-job.ts';
import { oneShotSession, statelessRecord } from '../common/observed-session.ts';
import { profiledBrowsers, reusedProfiles } from './profiles/scenarios-browsers.ts';
import { profileLives } from './profiles/scenarios.ts';
import { refusedChanges } from './errors/scenarios.ts';
import { refusalSideEffects } from './errors/scenarios-side-effects.ts';
import { runMembers } from './v4-runs/scenarios-members.ts';
import { proxiedBrowser, proxiedSession, secretSession } from './secrets/scenarios.ts';
import { taskOptions } from './v2-tasks/scenarios-options.ts';
import { providerKeys, providerRuns, providerSessions, providerTasks } from './providers/scenarios.ts';
import { providerMemory, providerSecret } from './providers/scenarios-memory.ts';
import { messageSession } from './v3-messages/scenarios.ts';
import { runQueue } from './v4-sessions/scenarios-queue.ts';
import { runSession } from './v4-sessions/scenarios.ts';
import { taskSessionStop } from './v2-sessions/scenarios.ts';
import { recordedBrowsers } from './recordings/scenarios.ts';
import { viewedBrowsers } from './browser-views/scenarios.ts';
import { otherProject, tenancyBrowser, tenancyRun, tenancySession, tenancyTask } from './tenancy/scenarios.ts';
import { clockedAddresses } from './addresses/scenarios.ts';
import { toleratedStorage, toleratedTasks } from './interface/scenarios.ts';
import { fileLives } from './workspaces/scenarios-files.ts';
import { wrongMembers } from './errors/scenarios-wrong-members.ts';
import { refusedCreations } from './errors/scenarios-refused-creations.ts';
import { pagedLists } from './pages/scenarios.ts';
import { pagedStorage } from './pages/scenarios-storage.ts';
import { twoKeysStorage } from './tenancy/scenarios-storage.ts';
import { workspaceLives } from './workspaces/scenarios.ts';
import { statefulBrowsers, statefulRuns, statefulSessions, statefulTasks } from '../properties/stateful/index.ts';

/**
 * Every scenario. If `--max-dispatches` does not suffice for all scenarios, the runner selects those that judge the
 * most requirements per task. Among equal scenarios, the earlier one in this list has priority.
 */
export const scenarios: readonly AnyScenario[] = [
  taskRefusals,
  sessionRefusals,
  runRefusals,
  ownKeyRefusals,
  routeRefusals,
  wrongMembers,
  refusalSideEffects,
  statelessRecord,
  profileLives,
  profiledBrowsers,
  reusedProfiles,
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
  billedBrowsers,
  emptiedBrowser,
  otherProject,
  tenancyBrowser,
  oneShotSession,
  oneShotRun,
  oneShotTask,
  judgedTask,
  keptSession,
  failingSession,
  interruptedSession,
  optionTasks,
  structuredSession,
  structuredFollowUp,
  codeSession,
  clockedSession,
  clockedAddresses,
  failedStart,
  crashedSession,
  equippedSession,
  earlyFollowUp,
  ownKeySession,
  ownKeySpellings,
  refusedFollowUps,
  emptySession,
  idleUploads,
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
  taskOptions,
  secretSession,
  runMembers,
  viewedBrowsers,
  recordedBrowsers,
  proxiedBrowser,
  proxiedSession,
  countryRuns,
  statefulBrowsers,
  statefulSessions,
  statefulRuns,
  statefulTasks,
  acceptedLevels,
  acceptedTasks,
  acceptedRuns,
  providerMemory,
  providerSecret,
  providerKeys,
  providerTasks,
  providerSessions,
  providerRuns,
];
