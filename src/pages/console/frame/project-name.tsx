import type { JSX } from 'preact';
import type { ConsoleLogin, ConsoleProjectName } from '../../../contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import { useAction } from '../api/use-action.ts';
import { usePoll } from '../api/hooks.ts';
import { hashOf } from '../place.ts';

/** The project of the login; a choice of all projects for an operator. */
export function ProjectName(): JSX.Element {
  const { login } = useSession();
  return login.isOperator ? <ProjectChoice /> : <OneProject />;
}

function OneProject(): JSX.Element {
  const { project } = useSession().login;
  return (
    <p class="project" title={project.id}>
      {project.name}
    </p>
  );
}

function ProjectChoice(): JSX.Element {
  const { api, login, say, enter } = useSession();
  const { run, isBusy, fault } = useAction();
  const path = 'console/api/projects';
  const { value } = usePoll(path, () => api.call<readonly ConsoleProjectName[]>('GET', path), null);
  if (value === undefined || value.length < 2) return <OneProject />;
  const change = async (projectId: string): Promise<void> => {
    const moved = await api.call<ConsoleLogin>('PUT', 'console/api/login/project', { projectId });
    // What was looked at belongs to the other project.
    history.replaceState(null, '', hashOf({ page: 'tasks', id: null }));
    enter(moved);
    say(`Project: ${moved.project.name}`);
  };
  return (
    <span class="project">
      <select
        aria-label="Project"
        title={fault?.message ?? login.project.id}
        disabled={isBusy}
        value={login.project.id}
        onChange={(event) => {
          const { value: projectId } = event.currentTarget;
          void run(() => change(projectId));
        }}
      >
        {value.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
