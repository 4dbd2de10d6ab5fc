/**
 * What drives a target once, so that many checks can judge the recording. Called by the runner, at most once per run and
 * scenario. A scenario sends and observes; it never judges, and it books everything that it creates.
 */
import type { AnyScenario } from '../harness/scenario.ts';
import { acceptedLevels } from './accepted-levels.ts';
import { clockedSession } from './clocked-session.ts';
import { codeSession } from './code-session.ts';
import { earlyFollowUp } from './early-follow-up.ts';
import { emptySession } from './empty-session.ts';
import { equippedSession } from './equipped-session.ts';
import { failingSession } from './failing-session.ts';
import { interruptedSession } from './interrupted-session.ts';
import { keptSession } from './kept-session.ts';
import { oneShotSession } from './one-shot-session.ts';
import { ownKeyRefusals } from './own-key-refusals.ts';
import { ownKeySession } from './own-key-session.ts';
import { refusalSideEffects } from './refusal-side-effects.ts';
import { runRefusals } from './run-refusals.ts';
import { sessionRefusals } from './session-refusals.ts';
import { statelessRecord } from './stateless-record.ts';
import { structuredSession } from './structured-session.ts';
import { taskRefusals } from './task-refusals.ts';

/** Every scenario; within a dispatch limit the earlier ones come first. */
export const scenarios: readonly AnyScenario[] = [
  taskRefusals,
  sessionRefusals,
  runRefusals,
  ownKeyRefusals,
  refusalSideEffects,
  statelessRecord,
  oneShotSession,
  keptSession,
  failingSession,
  interruptedSession,
  structuredSession,
  codeSession,
  clockedSession,
  equippedSession,
  earlyFollowUp,
  ownKeySession,
  emptySession,
  acceptedLevels,
];
