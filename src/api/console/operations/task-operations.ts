import { consoleOutcomes, type ConsolePicture } from '#contract/console-messages.ts';
import { problem } from '#contract/problems.ts';
import type { ConsoleOperation } from '../console-operation.ts';
import { isOfProject } from '#store/queries/sessions.ts';
import { readSession, readSessions } from '../read-sessions.ts';
import { recordingAddresses } from '#operations/common/addresses.ts';
import { listStepPictures } from '#store/queries/steps.ts';

const generations = ['v2', 'v3', 'v4'] as const;

/**
 * Lists the newest sessions of an API version, optionally only those that match a search text or an outcome of the
 * latest task. The documented operations do not offer this selection.
 */
export const listConsoleSessions: ConsoleOperation = {
  guard: 'login',
  async answer({ login: { projectId }, query }, tools) {
    const { search } = query;
    const sessions = await readSessions(tools, {
      projectId,
      generation: generations.find((name) => name === query['generation']) ?? 'v4',
      search: typeof search === 'string' ? search.trim() : '',
      outcome: consoleOutcomes.find((name) => name === query['outcome']) ?? null,
      limit: Number(query['limit']),
    });
    return { status: 200, body: sessions };
  },
};

/**
 * Returns the cost of a session, and its runs with outcome, times, costs and worker, which not every documented
 * operation returns. Answers 404 for a session of another project.
 */
export const getConsoleSession: ConsoleOperation = {
  guard: 'login',
  async answer({ login: { projectId }, path }, tools) {
    const id = (path['session_id'] ?? '').toLowerCase();
    if (!(await isOfProject(tools.db, 'sessions', { projectId, id }))) return problem('session_not_found', {});
    return { status: 200, body: await readSession(tools, id) };
  },
};

/** Lists the screenshots of a run, each with the id of its step event. Documented events contain no screenshots. */
export const listPictures: ConsoleOperation = {
  guard: 'login',
  async answer({ login: { projectId }, path }, { db, addresses }) {
    const id = (path['run_id'] ?? '').toLowerCase();
    if (!(await isOfProject(db, 'runs', { projectId, id }))) return problem('run_not_found', {});
    const pictures = (await listStepPictures(db, id)).flatMap(({ eventId, key }): ConsolePicture[] => {
      const url = addresses.screenshot(key);
      return url === null ? [] : [{ eventId, url }];
    });
    return { status: 200, body: pictures };
  },
};

/** Lists new signed URLs of the stored recordings of a session, oldest first. */
export const listRecordings: ConsoleOperation = {
  guard: 'login',
  async answer({ login: { projectId }, path }, { db, addresses, recordings }) {
    const id = (path['session_id'] ?? '').toLowerCase();
    if (!(await isOfProject(db, 'sessions', { projectId, id }))) return problem('session_not_found', {});
    return { status: 200, body: recordingAddresses(await recordings.of(id), addresses) };
  },
};
