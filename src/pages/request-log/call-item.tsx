import type { JSX } from 'preact';
import type { LoggedCall } from '#contract/log-messages.ts';
import { CallDetails, verdictWords } from './call-details.tsx';

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
