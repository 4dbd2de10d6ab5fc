import type { ConsoleOperation } from '../console-operation.ts';
import { readCosts } from '../costs/read-costs.ts';

/** What the project has cost, day by day. */
export const getCosts: ConsoleOperation = {
  guard: 'login',
  async answer({ login, query }, tools) {
    const wanted = { projectId: login.projectId, days: Number(query['days']), nowMs: tools.clock.now() };
    return { status: 200, body: await readCosts(tools, wanted) };
  },
};
