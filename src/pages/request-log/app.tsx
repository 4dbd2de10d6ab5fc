import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { LogVerdict } from '#contract/log-messages.ts';
import { CallItem } from './call-item.tsx';
import { Filters } from './filters.tsx';
import { useCalls } from './use-calls.ts';

/** The page: requests, the newest first. */
export function App(): JSX.Element {
  const { calls, isConnected } = useCalls();
  const [verdict, setVerdict] = useState<LogVerdict | 'all'>('all');
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = calls.filter(
    (call) =>
      (verdict === 'all' || call.verdict === verdict) &&
      `${call.method} ${call.path} ${call.operation ?? ''} ${call.status}`.toLowerCase().includes(wanted),
  );
  return (
    <main>
      <header>
        <h1>Request log</h1>
        <p role="status" class={isConnected ? 'live' : 'away'}>
          {isConnected ? 'Live' : 'The mock does not answer'}
        </p>
      </header>
      <Filters calls={calls} verdict={verdict} onVerdict={setVerdict} text={text} onText={setText} />
      {shown.length === 0 && <Nothing hasCalls={calls.length > 0} />}
      <ol aria-label="Calls, the newest first">
        {shown.map((call) => (
          <li key={call.id}>
            <CallItem call={call} />
          </li>
        ))}
      </ol>
    </main>
  );
}

function Nothing({ hasCalls }: { readonly hasCalls: boolean }): JSX.Element {
  if (hasCalls) return <p class="empty">No call fits the filter.</p>;
  return (
    <p class="empty">
      Nothing was asked yet. Calls to <code>{location.origin}/api/v2</code>, <code>/api/v3</code> and{' '}
      <code>/api/v4</code> show up here as they come.
    </p>
  );
}
