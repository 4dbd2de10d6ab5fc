import type { JSX } from 'preact';
import type { ConsoleProviderKey } from '#contract/console-messages.ts';
import { useSession, useAction } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import { ConfirmButton } from '../parts/dialogs.tsx';
import { FaultNotice, TimeAgo } from '../parts/facts.tsx';
import { RecordTable } from '../parts/lists.tsx';
import { Field, onFormSubmit } from '../parts/fields.tsx';

const columns = ['Provider', 'Ends in', 'Stored'];
const everyMs = 30_000;
const path = 'console/api/provider-keys';

/** Keys of model providers that the project uses. */
export function ProviderKeys(): JSX.Element {
  const { api, say, refresh: refreshLogin } = useSession();
  const { value, fault, refresh } = usePoll(path, () => api.call<ConsoleProviderKey[]>('GET', path), everyMs);
  const { run, isBusy, fault: removeFault } = useAction();
  // The login tells whether tasks have a model.
  const readAgain = async (): Promise<void> => {
    await Promise.all([refresh(), refreshLogin()]);
  };
  const remove = async (provider: string): Promise<void> => {
    await api.call('DELETE', `${path}/${provider}`);
    say(`The key of ${provider} was removed`);
    await readAgain();
  };
  return (
    <section aria-labelledby="provider-keys">
      <h2 id="provider-keys">Keys of model providers</h2>
      <p class="quiet">
        V4 uses a stored key for every model of its provider, V3 when a session sets useOwnKey. Keys are stored
        encrypted and never shown again.
      </p>
      <NewProviderKey onStored={readAgain} />
      <FaultNotice fault={removeFault ?? fault} />
      {value?.length === 0 && <p class="quiet">No key is stored.</p>}
      {value !== undefined && value.length > 0 && (
        <RecordTable name="Keys of model providers" columns={columns}>
          {value.map(({ provider, lastFour, createdAt }) => (
            <tr key={provider}>
              <th scope="row">{provider}</th>
              <td class="mono" data-label="Ends in">
                …{lastFour}
              </td>
              <td data-label="Stored">
                <TimeAgo at={createdAt} />
              </td>
              <td class="actions">
                <ConfirmButton
                  label="Remove"
                  name={`Remove the key of ${provider}`}
                  title={`Remove the key of ${provider}?`}
                  isBusy={isBusy}
                  onConfirm={() => void run(() => remove(provider))}
                >
                  New tasks do not use it.
                </ConfirmButton>
              </td>
            </tr>
          ))}
        </RecordTable>
      )}
    </section>
  );
}

/** Form that stores a key of a model provider and replaces an earlier one. */
function NewProviderKey({ onStored }: { readonly onStored: () => Promise<void> }): JSX.Element {
  const { api, login, say } = useSession();
  const { run, isBusy, fault } = useAction();
  return (
    <form
      class="inline"
      aria-label="Key of a model provider"
      onSubmit={onFormSubmit(run, async ({ text }) => {
        const provider = text('provider');
        await api.call('PUT', `${path}/${provider}`, { key: text('key') });
        say(`The key of ${provider} was stored`);
        await onStored();
      })}
    >
      <Field label="Provider">
        <select name="provider">
          {login.providers.map((provider) => (
            <option key={provider}>{provider}</option>
          ))}
        </select>
      </Field>
      <Field label="Provider key">
        <input name="key" type="password" required minLength={8} autoComplete="off" spellcheck={false} />
      </Field>
      <button type="submit" disabled={isBusy}>
        Store the key
      </button>
      <FaultNotice fault={fault} />
    </form>
  );
}
