import type { JSX } from 'preact';
import { EmptyState, Split } from '../parts/lists.tsx';
import { type Place, goTo } from '../place.ts';
import { SessionList } from './session-list.tsx';
import { TaskDetail } from './task-detail.tsx';
import { useAction, useSession } from '../api/hooks.ts';
import type { RunCreated } from '../api/types.ts';
import { CheckBox, CountryField, Field, ProfileField, onFormSubmit } from '../parts/fields.tsx';
import { FaultNotice } from '../parts/facts.tsx';
import { wantedRun } from './v4-texts.ts';

/** V4 sessions: the list, one session, or a new task. */
export function TasksPage({ id }: Place): JSX.Element {
  const list = (
    <SessionList page="tasks" generation="v4" verb="New task" chosen={id}>
      <EmptyState title="No tasks yet">Describe a task. Its steps and its result appear here.</EmptyState>
    </SessionList>
  );
  return (
    <Split page="tasks" isChosen={id !== null} list={list}>
      {id === null || id === 'new' ? <NewTask key="new" /> : <TaskDetail key={id} sessionId={id} />}
    </Split>
  );
}

/** Form for a new task. */
function NewTask(): JSX.Element {
  const { api, login, say } = useSession();
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="card"
      aria-labelledby="new-task"
      onSubmit={onFormSubmit(run, async (values) => {
        const created = await api.call<RunCreated>('POST', 'api/v4/runs', wantedRun(values));
        say('The task was started');
        goTo({ page: 'tasks', id: created.sessionId });
      })}
    >
      <h2 id="new-task">New task</h2>
      <Field label="Describe the task">
        <textarea name="task" rows={5} required placeholder="Open https://example.com and tell me its title" />
      </Field>
      <Field label="Model">
        <select name="model">
          {login.models.map((model, index) => (
            <option key={model} value={model}>
              {index === 0 ? `${model} (recommended)` : model}
            </option>
          ))}
        </select>
      </Field>
      <details>
        <summary>More settings</summary>
        <div class="fields">
          <Field label="Cost ceiling in US dollars" hint="The task ends when its cost reaches the ceiling">
            <input name="ceiling" inputMode="decimal" pattern="[0-9]*\.?[0-9]+" placeholder="none" />
          </Field>
          <CountryField />
          <ProfileField />
        </div>
        <CheckBox name="record" label="Record a video of the browser" />
        <CheckBox name="inbox" label="Give the task a mailbox" />
      </details>
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Starting…' : 'Start the task'}
        </button>
      </div>
    </form>
  );
}
