import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useSession } from '../api/session-context.ts';
import { usdOfMicros } from '../format/money.ts';
import { moment } from '../format.ts';
import { Facts } from '../parts/facts.tsx';
import { GrantForm } from '../settings/grant-form.tsx';

/** What the project is and may have; who logged in by a link changes it. */
export function SettingsPage(): JSX.Element {
  const { login, refresh } = useSession();
  useEffect(() => {
    // What has been spent meanwhile; where that cannot be read the figures of before stand.
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
          ['Spent', usdOfMicros(project.spentMicros)],
          ['Credit', project.creditMicros === null ? 'unlimited' : usdOfMicros(project.creditMicros)],
          ['Active now', `${project.activeCount} of ${project.activeMax}`],
          ['Data retention', project.zeroDataRetention ? 'zero: V4 keeps nothing, sessions can be purged' : 'kept'],
          ['Logged in until', moment(expiresAt)],
        ]}
      />
      {isOperator ? (
        <GrantForm key={`${project.creditMicros} ${project.sessionsMax} ${project.zeroDataRetention}`} />
      ) : (
        <p class="hint">
          Only an operator changes credit and limits: with a login by <code>svc admin login-link</code>, or with{' '}
          <code>svc admin project set</code>.
        </p>
      )}
    </>
  );
}
