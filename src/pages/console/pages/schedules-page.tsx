import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleSchedule, ConsoleWantedSchedule } from '#contract/console-messages.ts';
import { useSession, useAction } from '../api/hooks.ts';
import { useListPoll } from '../api/polling.ts';
import { moment, parseUsd, usdPattern } from '../format.ts';
import { FaultNotice, StatusBadge, ReadingState } from '../parts/facts.tsx';
import { EmptyState, RecordTable } from '../parts/lists.tsx';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { Field, onFormSubmit, type FormValues } from '../parts/fields.tsx';
import { getHash } from '../place.ts';

const everyMs = 5_000;
const path = 'console/api/schedules';

/** Scheduled tasks of the project with a form for a new task: proposals and active schedules, then ended schedules. */
export function SchedulesPage(): JSX.Element {
  const { api, login } = useSession();
  const { value, fault, refresh } = useListPoll(path, () => api.call<ConsoleSchedule[]>('GET', path), everyMs);
  const open = value?.filter(({ status }) => status !== 'ended') ?? [];
  const ended = value?.filter(({ status }) => status === 'ended') ?? [];
  return (
    <>
      <h1>Schedules</h1>
      {login.maySchedule ? (
        <NewSchedule onMade={refresh} />
      ) : (
        <p class="hint">
          This login only reads them. Log in by <code>svc admin login-link</code>, or with a key of{' '}
          <code>svc admin key create --may-schedule</code>.
        </p>
      )}
      <ReadingState of={value} fault={fault} />
      {value?.length === 0 && (
        <EmptyState title="No scheduled tasks yet">
          Schedule one above, or let an agent propose one: V3 sessions with enableScheduledTasks.
        </EmptyState>
      )}
      {open.length > 0 && <ScheduleTable rows={open} onChanged={refresh} />}
      {ended.length > 0 && (
        <details>
          <summary>Ended</summary>
          <ScheduleTable rows={ended} onChanged={refresh} />
        </details>
      )}
    </>
  );
}

const columns = ['Task', 'State', 'When', 'Next', 'Latest'];

/** Options of the table of scheduled tasks. */
interface ScheduleTableProps {
  readonly rows: readonly ConsoleSchedule[];
  readonly onChanged: () => Promise<void>;
}

function ScheduleTable({ rows, onChanged }: ScheduleTableProps): JSX.Element {
  const { api, login, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const change = (method: string, place: string, words: string): void =>
    void run(async () => {
      await api.call(method, `${path}/${place}`);
      say(words);
      await onChanged();
    });
  return (
    <>
      <FaultNotice fault={fault} />
      <RecordTable name="Scheduled tasks" columns={columns}>
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row" class="wrap">
              {row.task}
            </th>
            <td data-label="State">
              <StatusBadge status={row.status} />
            </td>
            <td data-label="When">
              <span class="mono">{row.cron ?? 'once'}</span> {row.timeZone}
            </td>
            <td data-label="Next">{row.nextAt === null ? 'never' : moment(row.nextAt)}</td>
            <td data-label="Latest">
              <Latest row={row} />
            </td>
            <td class="actions">
              {login.maySchedule && row.status !== 'ended' && <Actions row={row} isBusy={isBusy} onChange={change} />}
            </td>
          </tr>
        ))}
      </RecordTable>
    </>
  );
}

/** Buttons to confirm a proposal and to end a schedule. */
function Actions(props: {
  readonly row: ConsoleSchedule;
  readonly isBusy: boolean;
  readonly onChange: (method: string, place: string, words: string) => void;
}): JSX.Element {
  const { row, isBusy, onChange } = props;
  const isProposed = row.status === 'proposed';
  return (
    <>
      {isProposed && (
        <ConfirmButton
          label="Confirm"
          name={`Confirm ${row.task}`}
          title="Let this task run at its times?"
          isBusy={isBusy}
          onConfirm={() => onChange('POST', `${row.id}/confirm`, 'The scheduled task was confirmed')}
        >
          An agent proposed it, perhaps because of a page that it read: “{row.task}”
        </ConfirmButton>
      )}
      <ConfirmButton
        label={isProposed ? 'Refuse' : 'End'}
        name={`${isProposed ? 'Refuse' : 'End'} ${row.task}`}
        title={isProposed ? 'Refuse this proposal?' : 'End this scheduled task?'}
        isBusy={isBusy}
        onConfirm={() => onChange('DELETE', row.id, 'The scheduled task was ended')}
      >
        It does not run again. Tasks that it has started continue.
      </ConfirmButton>
    </>
  );
}

function Latest({ row: { latest } }: { readonly row: ConsoleSchedule }): JSX.Element {
  if (latest === null) return <>never</>;
  if (latest.sessionId === null) return <span title={latest.refusal ?? ''}>{`refused: ${latest.refusal}`}</span>;
  return <a href={getHash({ page: 'v3', id: latest.sessionId })}>{moment(latest.startedAt)}</a>;
}

/** A form for a new scheduled task. */
function NewSchedule({ onMade }: { readonly onMade: () => Promise<void> }): JSX.Element {
  const { api, login, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const [isRepeated, setRepeated] = useState(true);
  const zone = login.project.timeZone;
  return (
    <form
      class="card"
      aria-labelledby="new-schedule"
      onSubmit={onFormSubmit(run, async (values) => {
        await api.call('POST', path, wantedSchedule(values));
        say('The task was scheduled');
        await onMade();
        // The reset of the form also resets its kind.
        setRepeated(true);
      })}
    >
      <h2 id="new-schedule">New scheduled task</h2>
      <Field label="Task">
        <textarea name="task" rows={2} required maxLength={10_000} />
      </Field>
      <div class="fields">
        <Field label="Runs">
          <select name="kind" onChange={(event) => setRepeated(event.currentTarget.value === 'cron')}>
            <option value="cron">Again and again</option>
            <option value="at">Once</option>
          </select>
        </Field>
        {isRepeated ? (
          <Field label="Cron" hint={`Minute, hour, day, month, weekday in ${zone}`}>
            <input name="cron" class="mono" required maxLength={100} placeholder="0 9 * * 1-5" autoComplete="off" />
          </Field>
        ) : (
          <Field label="Time" hint={`In ${zone}`}>
            <input name="at" type="datetime-local" required />
          </Field>
        )}
        <Field label="Model">
          <select name="model">
            {login.scheduleModels.map((model) => (
              <option key={model}>{model}</option>
            ))}
          </select>
        </Field>
        <Field label="Cost limit in US dollars" hint="Of each run. Empty for no limit">
          <input name="usd" inputMode="decimal" pattern={usdPattern} autoComplete="off" />
        </Field>
      </div>
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Schedule the task
        </button>
      </div>
    </form>
  );
}

function wantedSchedule({ text }: Pick<FormValues, 'text'>): ConsoleWantedSchedule {
  const timing = text('kind') === 'cron' ? { cron: text('cron') } : { at: text('at') };
  return { task: text('task'), model: text('model'), maxCostMicros: parseUsd(text('usd')), ...timing };
}
