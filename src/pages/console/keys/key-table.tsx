import type { JSX } from 'preact';
import type { ConsoleKey } from '../../../contract/console-messages.ts';
import { RecordTable } from '../parts/record-table.tsx';
import { KeyRow } from './key-row.tsx';

const columns = ['Name', 'Key', 'State', 'Created', 'Last used', 'Expires'];

/** What a table of keys shows and does. */
export interface KeyTableProps {
  readonly rows: readonly ConsoleKey[];
  readonly isBusy: boolean;
  readonly onRevoke: (id: string) => void;
}

/** Keys, the newest first. */
export function KeyTable({ rows, isBusy, onRevoke }: KeyTableProps): JSX.Element {
  return (
    <RecordTable name="API keys" columns={columns}>
      {rows.map((row) => (
        <KeyRow key={row.id} row={row} isBusy={isBusy} onRevoke={() => onRevoke(row.id)} />
      ))}
    </RecordTable>
  );
}
