import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { LogKept, LogLine, LogVerdict, LoggedCall } from '#contract/log-messages.ts';

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
      <Filters
        calls={calls}
        canClear={isConnected && calls.length > 0}
        verdict={verdict}
        onVerdict={setVerdict}
        text={text}
        onText={setText}
      />
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
interface Calls {
  /** Calls, the newest first. */
  readonly calls: readonly LoggedCall[];
  readonly isConnected: boolean;
}

/** Reads the calls of the mock from its event stream. */
function useCalls(): Calls {
  const [{ calls }, setLog] = useState<{ readonly id: string; readonly calls: readonly LoggedCall[] }>({
    id: '',
    calls: [],
  });
  const [isConnected, setConnected] = useState(false);
  useEffect(() => {
    const stream = new EventSource(new URL('log/events', document.baseURI));
    stream.addEventListener('open', () => setConnected(true));
    // The browser reconnects by itself.
    stream.addEventListener('error', () => setConnected(false));
    stream.addEventListener('call', ({ data }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where a message of the mock becomes its type
      const call = JSON.parse(String(data)) as LoggedCall;
      setLog((known) => ({ ...known, calls: [call, ...known.calls.filter(({ id }) => id !== call.id)] }));
    });
    stream.addEventListener('kept', ({ data }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same edge
      const { log, first } = JSON.parse(String(data)) as LogKept;
      setLog((known) => ({ id: log, calls: log === known.id ? known.calls.filter(({ id }) => id >= first) : [] }));
    });
    return () => stream.close();
  }, []);
  return { calls, isConnected };
}

const verdicts = ['kept', 'broken', 'refused', 'fault'] as const satisfies readonly LogVerdict[];

/** Filters of the list. */
interface FilterProps {
  readonly calls: readonly LoggedCall[];
  readonly canClear: boolean;
  readonly verdict: LogVerdict | 'all';
  readonly onVerdict: (verdict: LogVerdict | 'all') => void;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Buttons by verdict with their counts, a search field and a button that removes every call. */
function Filters({ calls, canClear, verdict, onVerdict, text, onText }: FilterProps): JSX.Element {
  const choices = ['all', ...verdicts] as const;
  return (
    <div class="filters">
      <div role="group" aria-label="Show" class="verdicts">
        {choices.map((choice) => (
          <button type="button" key={choice} aria-pressed={choice === verdict} onClick={() => onVerdict(choice)}>
            {choice === 'all' ? 'All' : `${verdictWords[choice].mark} ${verdictWords[choice].word}`}{' '}
            <span class="count">
              {choice === 'all' ? calls.length : calls.filter((call) => call.verdict === choice).length}
            </span>
          </button>
        ))}
      </div>
      <label class="search">
        <span class="unseen">Search by path, operation or status</span>
        <input
          type="search"
          placeholder="path, operation, status"
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      </label>
      <button type="button" onClick={() => void forget()} disabled={!canClear}>
        Clear
      </button>
    </div>
  );
}

/** Removes all calls; the mock notifies every page. */
async function forget(): Promise<void> {
  await fetch(new URL('log/calls', document.baseURI), { method: 'DELETE' });
}

/** Details of a call: sentences of the contract, violations, and the exchanged messages. */
function CallDetails({ call }: { readonly call: LoggedCall }): JSX.Element {
  return (
    <div class="details">
      <p>{verdictWords[call.verdict].sentence}</p>
      <Part title="Contract" isThere={call.lines.length > 0}>
        <ul class="lines">
          {call.lines.map((line) => (
            <Line key={`${line.id}${String(line.kept)}`} line={line} />
          ))}
        </ul>
      </Part>
      <Part title="Request: what is wrong" isThere={call.problems.length > 0}>
        <Sentences all={call.problems} />
      </Part>
      <Part title="Answer: where it differs from its document" isThere={call.differences.length > 0}>
        <Sentences all={call.differences} />
      </Part>
      <div class="sides">
        <Part title="Request" isThere>
          <Headers headers={call.headers} />
          <Code text={call.body} otherwise="No body was read." />
        </Part>
        <Part title={`Answer ${call.status}`} isThere>
          <Code text={call.answer} otherwise="No body." />
        </Part>
      </div>
    </div>
  );
}

function Part(props: {
  readonly title: string;
  readonly isThere: boolean;
  readonly children: ComponentChildren;
}): JSX.Element | null {
  if (!props.isThere) return null;
  return (
    <section>
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

function Line({ line }: { readonly line: LogLine }): JSX.Element {
  return (
    <li class={line.kept ? 'kept' : 'broken'}>
      <span class="verdict">
        <span aria-hidden="true">{line.kept ? '✓' : '✗'}</span> {line.kept ? 'kept' : getWord(line)}
      </span>
      <span>
        <code>{line.id}</code> {line.level} {line.text} <span class="source">{line.source}</span>
        {line.quote === null ? null : <span class="quote">“{line.quote}”</span>}
      </span>
    </li>
  );
}

/** Returns the word of a line: a condition that is no requirement, such as a missing object, cannot be violated. */
function getWord({ level }: LogLine): string {
  if (level === null) return 'refused';
  return level === 'MUST' ? 'broken' : 'not followed';
}

function Sentences({ all }: { readonly all: readonly string[] }): JSX.Element {
  return (
    <ul>
      {all.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function Headers({ headers }: { readonly headers: LoggedCall['headers'] }): JSX.Element {
  return (
    <dl>
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Code({ text, otherwise }: { readonly text: string | null; readonly otherwise: string }): JSX.Element {
  if (text === null) return <p class="quiet">{otherwise}</p>;
  // Scrollable by itself, also by keyboard.
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keyboard
    <pre tabIndex={0}>{text}</pre>
  );
}

/** Display of a verdict: a mark that does not depend on colour, a word, and a sentence. */
const verdictWords: Readonly<Record<LogVerdict, { mark: string; word: string; sentence: string }>> = {
  kept: { mark: '✓', word: 'kept', sentence: 'The call keeps the contract.' },
  broken: { mark: '✗', word: 'broken', sentence: 'The call breaks the contract.' },
  refused: { mark: '–', word: 'refused', sentence: 'The call was refused, and breaks no sentence of the contract.' },
  fault: { mark: '!', word: 'fault', sentence: 'The answer is at fault, not the call.' },
};

/** A call as an expandable line. */
function CallItem({ call }: { readonly call: LoggedCall }): JSX.Element {
  const { mark, word } = verdictWords[call.verdict];
  return (
    <details class={`call ${call.verdict}`}>
      <summary>
        <span class="verdict">
          <span aria-hidden="true">{mark}</span> {word}
        </span>
        <span class="status">{call.status}</span>
        <span class="what">
          <b>{call.method}</b> <span class="path">{call.path}</span>
          <span class="query">{call.query}</span>
        </span>
        <span class="operation">{call.operation ?? 'no operation'}</span>
        <span class="when">
          <time dateTime={call.at}>{new Date(call.at).toLocaleTimeString()}</time> · {call.ms} ms
        </span>
        <Worst call={call} />
      </summary>
      <CallDetails call={call} />
    </details>
  );
}

/** The first violation of a call, shown in the collapsed line. */
function Worst({ call }: { readonly call: LoggedCall }): JSX.Element | null {
  const broken = call.lines.find(({ kept }) => !kept);
  const text = call.differences[0] ?? call.problems[0] ?? (broken === undefined ? undefined : broken.text);
  return text === undefined ? null : <span class="worst">{text}</span>;
}
