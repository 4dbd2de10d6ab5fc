import type { ComponentChildren, JSX } from 'preact';
import type { LogLine, LoggedCall, LogVerdict } from '#contract/log-messages.ts';

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
export const verdictWords: Readonly<Record<LogVerdict, { mark: string; word: string; sentence: string }>> = {
  kept: { mark: '✓', word: 'kept', sentence: 'The call keeps the contract.' },
  broken: { mark: '✗', word: 'broken', sentence: 'The call breaks the contract.' },
  refused: { mark: '–', word: 'refused', sentence: 'The call was refused, and breaks no sentence of the contract.' },
  fault: { mark: '!', word: 'fault', sentence: 'The answer is at fault, not the call.' },
};

/** A call as an expandable line. */
export function CallItem({ call }: { readonly call: LoggedCall }): JSX.Element {
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
