import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useSession, useAction } from '../api/hooks.ts';
import { formatUsdMicros, microsPerUsd, moment, parseUsd, usdPattern } from '../format.ts';
import { Facts, FaultNotice } from '../parts/facts.tsx';
import { Field, onFormSubmit, type FormValues } from '../parts/fields.tsx';
import type { ConsoleGrant } from '#contract/console-messages.ts';

/** Settings of the project; a user with a login by link can change them. */
export function SettingsPage(): JSX.Element {
  const { login, refresh } = useSession();
  useEffect(() => {
    // Reads the current spend; the previous figures stay when that fails.
    refresh().catch(() => undefined);
  }, []);
  const { project, isOperator, expiresAt } = login;
  return (
    <>
      <h1>Settings</h1>
      <h2>Project</h2>
      <Facts
        rows={[
          ['Name', project.name],
          ['Id', <span class="mono">{project.id}</span>],
          ['Spent', formatUsdMicros(project.spentMicros)],
          ['Credit', project.creditMicros === null ? 'unlimited' : formatUsdMicros(project.creditMicros)],
          ['Active now', `${project.activeCount} of ${project.activeMax}`],
          ['Data retention', project.zeroDataRetention ? 'zero: V4 keeps nothing, sessions can be purged' : 'kept'],
          ['Time zone of new scheduled tasks', project.timeZone],
          ['Logged in until', moment(expiresAt)],
        ]}
      />
      {isOperator ? (
        <GrantForm
          key={`${project.creditMicros} ${project.sessionsMax} ${project.zeroDataRetention} ${project.timeZone}`}
        />
      ) : (
        <p class="hint">
          Only an operator changes credit and limits: with a login by <code>svc admin login-link</code>, or with{' '}
          <code>svc admin project set</code>.
        </p>
      )}
    </>
  );
}

/**
 * Form for the credit, the limit of active sessions and browsers, the time zone and the data retention of the project.
 */
function GrantForm(): JSX.Element {
  const { api, login, say, refresh } = useSession();
  const { run, isBusy, fault } = useAction();
  const { creditMicros, sessionsMax, activeMax, zeroDataRetention, timeZone } = login.project;
  return (
    <form
      class="card"
      aria-labelledby="grant"
      onSubmit={onFormSubmit(run, async (values) => {
        await api.call('PATCH', 'console/api/project', wantedGrant(values));
        say('The settings were saved');
        await refresh();
      })}
    >
      <h2 id="grant">Credit and limits</h2>
      <div class="fields">
        <Field label="Credit in US dollars" hint="Empty for no limit. Earlier spending counts">
          <input
            name="credit"
            inputMode="decimal"
            pattern={usdPattern}
            defaultValue={creditMicros === null ? '' : String(creditMicros / microsPerUsd)}
          />
        </Field>
        <Field
          label="Limit of active sessions and browsers"
          hint={`Empty for the limit of the service, now ${activeMax}`}
        >
          <input name="sessions" type="number" min={1} max={100_000} defaultValue={sessionsMax ?? ''} />
        </Field>
        <Field label="Time zone" hint="Of new scheduled tasks, such as Europe/Berlin">
          <input name="zone" required maxLength={100} autoComplete="off" defaultValue={timeZone} />
        </Field>
      </div>
      <label class="check">
        <input type="checkbox" name="zero" defaultChecked={zeroDataRetention} />
        <span>Zero data retention: sessions can be purged, and the project cannot use V4</span>
      </label>
      <FaultNotice fault={fault} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          Save
        </button>
      </div>
    </form>
  );
}

/**
 * Returns the grant of the form. An empty credit means no limit; an empty session limit means the limit of the service.
 */
function wantedGrant(values: Pick<FormValues, 'text' | 'isTicked'>): ConsoleGrant {
  const sessions = values.text('sessions');
  return {
    creditMicros: parseUsd(values.text('credit')),
    sessionsMax: sessions === '' ? null : Number(sessions),
    zeroDataRetention: values.isTicked('zero'),
    timeZone: values.text('zone'),
  };
}
