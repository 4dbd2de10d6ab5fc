import type { JSX } from 'preact';
import { useState, useEffect } from 'preact/hooks';
import type { LogVerdict, LogKept, LoggedCall } from '#contract/log-messages.ts';
import { CallItem } from './call-details.tsx';
import { Filters } from './filters.tsx';

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

/** State of the page. */
export interface Calls {
  /** Calls, the newest first. */
  readonly calls: readonly LoggedCall[];
  readonly isConnected: boolean;
}

/** Reads the calls of the mock from its event stream. */
function useCalls(): Calls {
  const [calls, setCalls] = useState<readonly LoggedCall[]>([]);
  const [isConnected, setConnected] = useState(false);
  useEffect(() => {
    const stream = new EventSource(new URL('log/events', document.baseURI));
    stream.addEventListener('open', () => setConnected(true));
    // The browser reconnects by itself.
    stream.addEventListener('error', () => setConnected(false));
    stream.addEventListener('call', ({ data }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where a message of the mock becomes its type
      const call = JSON.parse(String(data)) as LoggedCall;
      setCalls((known) => [call, ...known.filter(({ id }) => id !== call.id)]);
    });
    stream.addEventListener('kept', ({ data }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same edge
      const { first } = JSON.parse(String(data)) as LogKept;
      setCalls((known) => known.filter(({ id }) => id >= first));
    });
    return () => stream.close();
  }, []);
  return { calls, isConnected };
}
