import type { ConsoleProjectName } from '#contract/console-messages.ts';
import { isJsonObject } from '#lib/json.ts';
import { problem } from '#contract/problems.ts';
import type { ConsoleOperation } from '../console-operation.ts';
import { consoleCookie } from '../login/cookie.ts';
import { shownLogin } from './shown-login.ts';

/** Lists the projects of the service, the oldest first: the operator's right, because a key has one project. */
export const listProjects: ConsoleOperation = {
  guard: 'operator',
  async answer(_asked, { projects }) {
    const all = await projects.list();
    return { status: 200, body: all.map(({ id, name }): ConsoleProjectName => ({ id, name })) };
  },
};

/** Moves the login of an operator to another project. */
export const switchProject: ConsoleOperation = {
  guard: 'operator',
  async answer({ login, wire, body }, tools) {
    const wanted = isJsonObject(body) ? body['projectId'] : null;
    const project = (await tools.projects.list()).find(({ id }) => id === wanted);
    if (project === undefined) return problem('project_not_found', {});
    await tools.door.sessions.switchProject(consoleCookie(wire, tools.publicUrl()) ?? '', project.id);
    return { status: 200, body: await shownLogin(tools, { ...login, projectId: project.id }) };
  },
};
