import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleKey } from '../../domain/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import { useAction } from '../api/use-action.ts';
import { usePoll } from '../api/use-poll.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { KeyRow } from './key-row.tsx';
import { NewKey } from './new-key.tsx';
import { ShownKey } from './shown-key.tsx';

const everyMs = 15_000;
const path = 'console/api/keys';

/** The keys of the project: a new one is shown once. */
export function ApiKeys(): JSX.Element {
  const { api, say } = useSession();
  const { value, fault, refresh } = usePoll(path, () => api.call<ConsoleKey[]>('GET', path), everyMs);
  const { run, isBusy, fault: revokeFault } = useAction();
  const [shown, setShown] = useState<string | null>(null);
  const revoke = async (id: string): Promise<void> => {
    await api.call('DELETE', `${path}/${id}`);
    say('The key was revoked');
    await refresh();
  };
  return (
    <section aria-labelledby="api-keys">
      <h2 id="api-keys">API keys</h2>
      <p class="quiet">Whoever has one works with all that the project has, in programs and here.</p>
      <NewKey
        onMade={async (key) => {
          setShown(key);
          await refresh();
        }}
      />
      {shown !== null && <ShownKey value={shown} onClose={() => setShown(null)} />}
      <FaultNotice fault={revokeFault ?? fault} />
      <div class="scroll">
        <table>
          <caption class="unseen">API keys</caption>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Name</th>
              <th scope="col">State</th>
              <th scope="col">Made</th>
              <th scope="col">Last used</th>
              <th scope="col">Expires</th>
              <th scope="col">
                <span class="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {value?.map((row) => (
              <KeyRow key={row.id} row={row} isBusy={isBusy} onRevoke={() => void run(() => revoke(row.id))} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
