import type { JSX } from 'preact';
import { consoleOutcomes } from '../../../contract/console-messages.ts';
import { SearchField } from '../parts/search-field.tsx';
import type { Selection } from './use-session-list.ts';

const words: Readonly<Record<(typeof consoleOutcomes)[number], string>> = {
  open: 'Working',
  achieved: 'Achieved',
  missed: 'Goal not achieved',
  stopped: 'Stopped',
  crashed: 'Failed',
};

/** A search field, and a choice of outcomes. */
export function ListFilter(props: {
  readonly selection: Selection;
  readonly onChange: (selection: Selection) => void;
}): JSX.Element {
  const { selection, onChange } = props;
  return (
    <form class="filter" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchField
        label="Search by title, task or id"
        onSearch={(search) => search !== selection.search && onChange({ ...selection, search })}
      />
      <select
        aria-label="Outcome"
        value={selection.outcome}
        onChange={(event) => {
          const { value } = event.currentTarget;
          onChange({ ...selection, outcome: consoleOutcomes.find((outcome) => outcome === value) ?? '' });
        }}
      >
        <option value="">All outcomes</option>
        {consoleOutcomes.map((outcome) => (
          <option key={outcome} value={outcome}>
            {words[outcome]}
          </option>
        ))}
      </select>
    </form>
  );
}
