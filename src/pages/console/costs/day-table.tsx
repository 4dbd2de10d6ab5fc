import type { JSX } from 'preact';
import type { ConsoleDay } from '../../../contract/console-messages.ts';
import { usdOfMicros } from '../format/money.ts';
import { totalOf, totalOfDay } from './total-of.ts';

/** The days that have cost something, the newest first. */
export function DayTable({ days }: { readonly days: readonly ConsoleDay[] }): JSX.Element {
  const busy = days.filter((day) => day.sessions + day.browsers > 0).toReversed();
  const columns = allColumns.filter(({ isShown }) => isShown?.(days) ?? true);
  return (
    <details>
      <summary>Day by day</summary>
      {busy.length === 0 && <p class="quiet">No session or browser was started in this period.</p>}
      {busy.length > 0 && (
        <div class="scroll">
          <table>
            <caption class="unseen">Costs by day</caption>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {columns.map(({ title }) => (
                  <th key={title} scope="col" class="number">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {busy.map((day) => (
                <tr key={day.day}>
                  <th scope="row">{day.day}</th>
                  {columns.map(({ title, cell }) => (
                    <td key={title} class="number">
                      {cell(day)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

interface DayColumn {
  readonly title: string;
  readonly cell: (day: ConsoleDay) => string | number;
  /** @defaultValue always */
  readonly isShown?: (days: readonly ConsoleDay[]) => boolean;
}

const allColumns: readonly DayColumn[] = [
  { title: 'Sessions', cell: ({ sessions }) => sessions },
  { title: 'Browsers', cell: ({ browsers }) => browsers },
  { title: 'For models', cell: ({ llmMicros }) => usdOfMicros(llmMicros) },
  {
    title: 'Simulated tokens',
    cell: ({ simulatedMicros }) => usdOfMicros(simulatedMicros),
    isShown: (days) => totalOf(days, 'simulatedMicros') > 0,
  },
  { title: 'For browsers', cell: ({ browserMicros }) => usdOfMicros(browserMicros) },
  { title: 'For proxies', cell: ({ proxyMicros }) => usdOfMicros(proxyMicros) },
  { title: 'Total', cell: (day) => usdOfMicros(totalOfDay(day)) },
];
