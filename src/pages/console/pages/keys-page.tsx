import type { JSX } from 'preact';
import { ProviderKeys } from './provider-keys.tsx';
import { useState } from 'preact/hooks';
import type { ConsoleKey, ConsoleNewKey } from '#contract/console-messages.ts';
import { useSession, useAction } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import { FaultNotice, StatusBadge, TimeAgo, CopyButton } from '../parts/facts.tsx';
import { RecordTable } from '../parts/lists.tsx';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { CheckBox, Field, type FormValues, onFormSubmit } from '../parts/fields.tsx';
import { formatUsdMicros, parseUsd } from '../format.ts';

/** API keys of the project, and its keys for model providers. */
export function KeysPage(): JSX.Element {
  return (
    <>
      <h1>Keys</h1>
      <ApiKeys />
      <ProviderKeys />
    </>
  );
}

const everyMs = 15_000;
const path = 'console/api/keys';

/** API keys of the project. A new key is shown once. */
function ApiKeys(): JSX.Element {
  const { api, say } = useSession();
  const { value, fault, refresh } = usePoll(path, () => api.call<ConsoleKey[]>('GET', path), everyMs);
  const { run, isBusy, fault: revokeFault } = useAction();
  const [shown, setShown] = useState<string | null>(null);
  const active = value?.filter(({ state }) => state === 'active') ?? [];
  const ended = value?.filter(({ state }) => state !== 'active') ?? [];
  const revoke = async (id: string): Promise<void> => {
    await api.call('DELETE', `${path}/${id}`);
    say('The key was revoked');
    await refresh();
  };
  const getTable = (rows: readonly ConsoleKey[]): JSX.Element => (
    <RecordTable name="API keys" columns={columns}>
      {rows.map((row) => (
        <KeyRow key={row.id} row={row} isBusy={isBusy} onRevoke={() => void run(() => revoke(row.id))} />
      ))}
    </RecordTable>
  );
  return (
    <section aria-labelledby="api-keys">
      <h2 id="api-keys">API keys</h2>
      <p class="quiet">Each key gives full access to this project, over the API and in this console.</p>
      <NewKey
        onMade={async (key) => {
          setShown(key);
          await refresh();
        }}
      />
      {shown !== null && <ShownKey value={shown} onClose={() => setShown(null)} />}
      <FaultNotice fault={revokeFault ?? fault} />
      {getTable(active)}
      {ended.length > 0 && (
        <details>
          <summary>Revoked and expired</summary>
          {getTable(ended)}
        </details>
      )}
    </section>
  );
}

const columns = ['Name', 'Key', 'State', 'Created', 'Last used', 'Expires', 'Monthly limit'];

/** Row of one key, without its secret. */
function KeyRow(props: {
  readonly row: ConsoleKey;
  readonly isBusy: boolean;
  readonly onRevoke: () => void;
}): JSX.Element {
  const { prefix, name, state, createdAt, lastUsedAt, expiresAt, maySchedule, monthlyMicros } = props.row;
  return (
    <tr>
      <th scope="row" class="wrap">
        {name ?? 'Unnamed key'}
      </th>
      <td class="mono" data-label="Key">
        {prefix}…
      </td>
      <td data-label="State">
        <StatusBadge status={state} />
        {maySchedule && <span class="hint"> may schedule tasks</span>}
      </td>
      <td data-label="Created">
        <TimeAgo at={createdAt} />
      </td>
      <td data-label="Last used">{lastUsedAt === null ? 'never' : <TimeAgo at={lastUsedAt} />}</td>
      <td data-label="Expires">{expiresAt === null ? 'never' : expiresAt.slice(0, 10)}</td>
      <td data-label="Monthly limit">{monthlyMicros === null ? 'none' : formatUsdMicros(monthlyMicros)}</td>
      <td class="actions">
        {state === 'active' && (
          <ConfirmButton
            label="Revoke"
            name={`Revoke ${name ?? prefix}`}
            title={name === null ? `Revoke the key ${prefix}…?` : `Revoke the key “${name}” (${prefix}…)?`}
            isBusy={props.isBusy}
            onConfirm={props.onRevoke}
          >
            Programs that use this key, and logins by it, are refused from their next request on. Tasks and browsers
            that they started continue.
          </ConfirmButton>
        )}
      </td>
    </tr>
  );
}

const dayMs = 86_400_000;

/** A form for a new key. */
function NewKey({ onMade }: { readonly onMade: (key: string) => Promise<void> }): JSX.Element {
  const { api, login, say } = useSession();
  const { run, isBusy, fault } = useAction();
  const make = async ({ text, isTicked }: FormValues): Promise<void> => {
    const days = text('days');
    const { key } = await api.call<ConsoleNewKey>('POST', path, {
      name: text('name') || null,
      expiresAt: days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
      maySchedule: isTicked('schedules'),
      monthlyMicros: parseUsd(text('limit')),
    });
    say('The key was created: copy it now');
    await onMade(key);
  };
  return (
    <form class="inline" aria-label="New API key" onSubmit={onFormSubmit(run, make)}>
      <Field label="Name of the new key">
        <input name="name" maxLength={100} autoComplete="off" />
      </Field>
      <Field label="Expires">
        <select name="days">
          <option value="">Never</option>
          <option value="7">In 7 days</option>
          <option value="30">In 30 days</option>
          <option value="90">In 90 days</option>
          <option value="365">In a year</option>
        </select>
      </Field>
      {login.maySchedule && <CheckBox name="schedules" label="May schedule tasks" />}
      <Field label="Monthly limit in USD">
        <input name="limit" type="number" min="0" step="0.01" placeholder="none" />
      </Field>
      <button type="submit" disabled={isBusy}>
        Create key
      </button>
      <FaultNotice fault={fault} />
    </form>
  );
}

/** Shows a new key until the user hides it; it cannot be shown again. */
function ShownKey(props: { readonly value: string; readonly onClose: () => void }): JSX.Element {
  return (
    <div class="card shown-key" role="group" aria-label="The new key">
      <p>
        <strong>Copy it now.</strong> The key is shown only once; the service keeps its hash.
      </p>
      <div class="copied">
        <code>{props.value}</code>
        <CopyButton text={props.value} what="key" />
      </div>
      <button type="button" onClick={props.onClose}>
        I have it
      </button>
    </div>
  );
}
