import { consoleOutcomes, type ConsolePicture } from '#contract/console-messages.ts';
import { problem } from '#contract/problems.ts';
import type { ConsoleOperation } from '../console-operation.ts';
import { isOfProject } from '../pictures/is-of-project.ts';
import { readSession } from '../tasks/read-session.ts';
import { readSessions } from '../tasks/read-sessions.ts';
import { recordingAddresses } from '#operations/common/addresses.ts';
import { readPictures } from '../pictures/read-pictures.ts';

const generations = ['v2', 'v3', 'v4'] as const;

/** Lists the sessions of a generation that a search and a filter select: the documents have neither. */
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

/** Returns what the documents do not tell of a session and its runs. */
export const getConsoleSession: ConsoleOperation = {
  guard: 'login',
  async answer({ login: { projectId }, path }, tools) {
    const id = (path['session_id'] ?? '').toLowerCase();
    if (!(await isOfProject(tools.db, 'sessions', { projectId, id }))) return problem('session_not_found', {});
    return { status: 200, body: await readSession(tools, id) };
  },
};

/** What the browser of a run showed at its steps: the events of the documents tell of steps without their pictures. */
export const listPictures: ConsoleOperation = {
  guard: 'login',
  async answer({ login: { projectId }, path }, { db, addresses }) {
    const id = (path['run_id'] ?? '').toLowerCase();
    if (!(await isOfProject(db, 'runs', { projectId, id }))) return problem('run_not_found', {});
    const pictures = (await readPictures(db, id)).flatMap(({ eventId, key }): ConsolePicture[] => {
      const url = addresses.screenshot(key);
      return url === null ? [] : [{ eventId, url }];
    });
    return { status: 200, body: pictures };
  },
};

/** Videos of the browsers of a session that can be played, oldest first, at new addresses. */
export const listRecordings: ConsoleOperation = {
  guard: 'login',
  async answer({ login: { projectId }, path }, { db, addresses, recordings }) {
    const id = (path['session_id'] ?? '').toLowerCase();
    if (!(await isOfProject(db, 'sessions', { projectId, id }))) return problem('session_not_found', {});
    return { status: 200, body: recordingAddresses(await recordings.of(id), addresses) };
  },
};
