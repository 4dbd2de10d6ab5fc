import type { Scenario } from '../../core/scenario.ts';
import { type SessionObservation, poll, runTask } from '../common/scenarios-part-observed-session.ts';

/** The schema that is asked for. */
export const structuredSchema = {
  type: 'object',
  required: ['title'],
  properties: { title: { type: 'string' } },
};

/** One task with an output schema, a recording, and a level that is null. */
export const structuredSession: Scenario<SessionObservation> = {
  name: 'structured-session',
  creates: 'one V3 session with an output schema and a recording',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  unavailable: ({ tasks }) =>
    tasks.structured === null ? 'the target file names no goal for structured output (tasks.structured)' : undefined,
  drive: (drive) =>
    drive.live(async () => {
      const session = await runTask(drive, {
        task: String(drive.target.tasks.structured),
        outputSchema: structuredSchema,
        enableRecording: true,
        thinkingLevel: null,
        keepAlive: false,
      });
      if (drive.target.v3?.recordings !== true) return session;
      await poll(drive, session, {
        id: session.id,
        until: ({ end }) => Array.isArray(end.record['recordingUrls']) && end.record['recordingUrls'].length > 0,
        deadlineMs: drive.target.polling.settleDeadlineMs,
      });
      return session;
    }),
};
