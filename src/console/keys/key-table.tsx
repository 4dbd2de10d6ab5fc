import type { JSX } from 'preact';
import type { ConsoleKey } from '../../domain/console-messages.ts';
import { KeyRow } from './key-row.tsx';

/** What a table of keys shows and does. */
export interface KeyTableProps {
  readonly rows: readonly ConsoleKey[];
  readonly isBusy: boolean;
  readonly onRevoke: (id: string) => void;
}

/** Keys, the newest first. */
export function KeyTable({ rows, isBusy, onRevoke }: KeyTableProps): JSX.Element {
  return (
    <table class="stack">
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
        {rows.map((row) => (
          <KeyRow key={row.id} row={row} isBusy={isBusy} onRevoke={() => onRevoke(row.id)} />
        ))}
      </tbody>
    </table>
  );
}
