import { consoleOutcomes } from '#contract/console-messages.ts';
import { problem } from '#contract/problems.ts';
import type { ConsoleOperation } from '../console-operation.ts';
import { isOfProject } from '../pictures/is-of-project.ts';
import { readSession } from '../tasks/read-session.ts';
import { readSessions } from '../tasks/read-sessions.ts';

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
