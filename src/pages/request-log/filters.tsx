import type { JSX } from 'preact';
import type { LogVerdict, LoggedCall } from '#contract/log-messages.ts';
import { verdictWords } from './call-details.tsx';

const verdicts = ['kept', 'broken', 'refused', 'fault'] as const satisfies readonly LogVerdict[];

/** Filters of the list. */
export interface FilterProps {
  readonly calls: readonly LoggedCall[];
  readonly verdict: LogVerdict | 'all';
  readonly onVerdict: (verdict: LogVerdict | 'all') => void;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Buttons by verdict with their counts, a search field and a button that removes every call. */
export function Filters({ calls, verdict, onVerdict, text, onText }: FilterProps): JSX.Element {
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
      <button type="button" onClick={() => void forget()} disabled={calls.length === 0}>
        Clear
      </button>
    </div>
  );
}

/** Removes all calls; the mock notifies every page. */
async function forget(): Promise<void> {
  await fetch(new URL('log/calls', document.baseURI), { method: 'DELETE' });
}
