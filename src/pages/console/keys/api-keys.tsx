import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleKey } from '../../../contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import { useAction } from '../api/use-action.ts';
import { usePoll } from '../api/hooks.ts';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { KeyTable } from './key-table.tsx';
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
  const active = value?.filter(({ state }) => state === 'active') ?? [];
  const ended = value?.filter(({ state }) => state !== 'active') ?? [];
  const revoke = async (id: string): Promise<void> => {
    await api.call('DELETE', `${path}/${id}`);
    say('The key was revoked');
    await refresh();
  };
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
      <KeyTable rows={active} isBusy={isBusy} onRevoke={(id) => void run(() => revoke(id))} />
      {ended.length > 0 && (
        <details>
          <summary>Revoked and expired</summary>
          <KeyTable rows={ended} isBusy={isBusy} onRevoke={(id) => void run(() => revoke(id))} />
        </details>
      )}
    </section>
  );
}
