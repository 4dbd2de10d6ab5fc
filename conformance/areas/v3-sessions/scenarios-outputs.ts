import type { AnyScenario, ScenarioContext, Scenario } from '../../core/scenario.ts';
import {
  fetchSession,
  hasEnded,
  poll,
  runFollowUp,
  runTask,
  type SessionObservation,
  type TaskObservation,
} from '../../common/observed-session.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Target } from '../../core/target.ts';
import { succeeded } from '../../core/exchange.ts';
import { createAttached, hasRecording, named, recorded } from './scenarios.ts';

/**
 * Members with narrow bounds. A service that ignores one of these bounds is unlikely to fill the member with a value
 * within the bound: it would take another number of items, a longer or shorter text, or a smaller number.
 */
const narrowMembers: JsonObject = {
  letters: {
    type: 'array',
    minItems: 4,
    maxItems: 4,
    description: 'The first four letters of the alphabet, one per item',
    items: { type: 'string', minLength: 1, maxLength: 1 },
  },
  languages: {
    type: 'array',
    minItems: 1,
    maxItems: 1,
    description: 'The main language of the page, as a code of two letters such as en',
    items: { type: 'string', minLength: 2, maxLength: 2 },
  },
  alphabet: { type: 'string', minLength: 26, maxLength: 26, description: 'The 26 small letters from a to z in a row' },
  notice: {
    type: 'string',
    const: 'This sentence has more than sixty-four characters, and a full stop at its end.',
    description: 'Always this sentence',
  },
  decade: { type: 'integer', minimum: 1990, maximum: 1999, description: 'Any year of the 1990s' },
};

/**
 * Output schema that `structuredSession` requests. It uses every kind of bound that an output can violate, and only
 * facts of the test page and facts that every agent knows.
 */
export const structuredSchema: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: [
    'title',
    'kind',
    'format',
    'isReachable',
    'words',
    'rating',
    'address',
    'headings',
    ...Object.keys(narrowMembers),
  ],
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 200, description: 'Title of the page' },
    kind: { type: 'string', enum: ['page', 'file'], description: 'Whether the address shows a page or a file' },
    ...narrowMembers,
    format: { type: 'string', const: 'v1', description: 'Always v1' },
    isReachable: { type: 'boolean', description: 'Whether the page could be opened' },
    words: { type: 'integer', minimum: 0, maximum: 100_000, description: 'About how many words the page has' },
    rating: { type: 'number', minimum: 1, maximum: 5, description: 'How well the page can be read, from 1 to 5' },
    subtitle: {
      type: 'string',
      maxLength: 200,
      description: 'Subtitle of the page; left out if the page has no subtitle',
    },
    address: {
      type: 'object',
      additionalProperties: false,
      required: ['host'],
      properties: { host: { type: 'string', minLength: 1, maxLength: 200, description: 'Host of the page' } },
    },
    headings: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      description: 'The first headings of the page',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['text', 'level'],
        properties: {
          text: { type: 'string', maxLength: 200 },
          level: { type: 'integer', minimum: 1, maximum: 6 },
        },
      },
    },
  },
};

/**
 * Creates one session with an output schema, a recording, and the level null. If `isRecordedKept` is true, the session
 * is kept after its task and then stopped, whereas the session in code mode ends by itself. The run thus shows the
 * recordings of both kinds of session.
 */
export const structuredSession: Scenario<SessionObservation> = {
  name: 'structured-session',
  creates: 'one V3 session with an output schema, a recording and a proxy country',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: noStructuredGoal,
  run: (context) =>
    context.live(async () => {
      const session = await runTask(context, {
        task: String(context.target.tasks.structured),
        outputSchema: structuredSchema,
        enableRecording: true,
        thinkingLevel: null,
        ...named(context.target, { proxyCountryCode: 'uk' }),
        keepAlive: isRecordedKept(context.target),
      });
      if (hasEnded(session) && session.end.record['status'] === 'idle') await stopKept(context, session);
      if (context.target.v3?.recordings !== true) return session;
      await poll(context, session, {
        id: session.id,
        until: hasRecording,
        deadlineMs: context.target.polling.settleDeadlineMs,
      });
      // The next fetch must also show a recording that this fetch has shown.
      await fetchSession(context, session.id);
      return session;
    }),
};

/**
 * Returns true if the structured session is kept after its task: a target may make its recordings only when a session
 * is stopped.
 */
function isRecordedKept(target: Target): boolean {
  const { v3, tasks } = target;
  return v3?.recordings === true && v3.stop !== null && tasks.code !== null && !hasOwnFollowUp(target);
}

function noStructuredGoal({ tasks }: Target): string | undefined {
  return tasks.structured === null
    ? 'the target file names no goal for structured output (tasks.structured)'
    : undefined;
}

/**
 * Creates one session with an output schema, and repeats the schema in a follow-up. The first task of the session is
 * the failing task of the target file, if it names one. Only for targets whose follow-ups have an operation of their
 * own; for other targets, other scenarios send schemas in follow-ups.
 */
export const structuredFollowUp: Scenario<SessionObservation> = {
  name: 'structured-follow-up',
  creates: 'one V3 session with an output schema and a follow-up, where follow-ups have an operation of their own',
  spend: 'task',
  dispatches: 2,
  stateful: true,
  unavailable: (target) =>
    noStructuredGoal(target) ??
    (hasOwnFollowUp(target) ? undefined : 'the target file names no operation of follow-ups alone (v3.followUp)'),
  run: (context) =>
    context.live(async () => {
      const { tasks } = context.target;
      const structured = { task: String(tasks.structured), outputSchema: structuredSchema };
      const first = await runTask(context, { ...structured, task: tasks.fail ?? structured.task, keepAlive: true });
      if (first.end.record['status'] !== 'idle') return first;
      await runFollowUp(context, first.id, structured);
      await stopKept(context, first);
      return first;
    }),
};

/** Returns the scenarios of structured output for a target. */
export function structuredSessions(target: Target): readonly AnyScenario[] {
  return hasOwnFollowUp(target) ? [structuredSession, structuredFollowUp] : [structuredSession];
}

/**
 * Returns true if follow-ups have another path than creations. The contract shows only `thinkingLevel` in follow-ups
 * with their own path.
 */
function hasOwnFollowUp({ v3 }: Target): boolean {
  const followUp = v3?.followUp ?? null;
  return followUp !== null && followUp.path !== '/sessions';
}

/**
 * Stops a session with `keepAlive`, fetches it, and stores this fetch as the end of its observation. Does nothing
 * without a stop operation.
 */
async function stopKept(context: ScenarioContext, session: TaskObservation & { id: string }): Promise<void> {
  if (context.target.v3?.stop === null) return;
  await context.sessions.stop(session.id);
  session.end = await fetchSession(context, session.id);
  session.fetches.push(session.end);
}

/** A session whose last task is in code mode. */
export interface CodeSession extends SessionObservation {
  /** The follow-up in code mode, accepted or refused; undefined if no follow-up was sent. */
  followUp: TaskObservation | undefined;
}

/**
 * Creates one session in code mode. If the target has follow-ups and a task that fails, the first task fails and the
 * code-mode task is a follow-up. If that follow-up is refused, a second session gets the code-mode task.
 */
export const codeSession: Scenario<CodeSession> = {
  name: 'code-session',
  creates: 'one V3 session in code mode, with a mailbox, a recording, a profile and a workspace, without a proxy',
  spend: 'task',
  dispatches: 2,
  stateful: true,
  unavailable: ({ tasks }) =>
    tasks.code === null ? 'the target file names no goal for code mode (tasks.code)' : undefined,
  run: (context) => context.live(() => driveCode(context)),
};

async function driveCode(context: ScenarioContext): Promise<CodeSession> {
  const { tasks, v3 } = context.target;
  const options = {
    codeMode: true,
    enableRecording: true,
    ...named(context.target, { proxyCountryCode: null, inbox: true }),
  };
  const attached = await createAttached(context);
  const repeated = { task: String(tasks.code), codeMode: true };
  const last = { ...repeated, enableRecording: true, keepAlive: false };
  const alone = async (members: JsonObject, followUp?: TaskObservation): Promise<CodeSession> => {
    return { ...(await recorded(context, await runTask(context, { ...options, ...last, ...members }))), followUp };
  };
  if (tasks.fail === null || (v3?.followUp ?? null) === null) return alone(attached);
  const start = { ...options, ...attached, task: tasks.fail, model: codeModel, keepAlive: true };
  const first = await runTask(context, start);
  if (first.end.record['status'] !== 'idle') return { ...(await recorded(context, first)), followUp: undefined };
  const body = hasOwnFollowUp(context.target) ? repeated : last;
  const followUp = await runFollowUp(context, first.id, { ...body, thinkingLevel: 'high' });
  // The first session still has the profile, which two sessions cannot have at once.
  if (!succeeded(followUp.dispatched)) return alone({}, followUp);
  const session = { ...followUp, id: first.id };
  if (hasEnded(session) && session.end.record['status'] === 'idle') await stopKept(context, session);
  return { ...(await recorded(context, session)), followUp };
}

/** Model of the session in code mode. It is an alias, and a follow-up must have the levels of the aliased model. */
export const codeModel = 'svc-mini';
