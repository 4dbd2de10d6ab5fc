import type { JSX } from 'preact';
import type { ConsoleDay } from '../../../contract/console-messages.ts';
import { usdOfMicros } from '../format/money.ts';
import { totalOfDay } from './total-of.ts';

/** The days that have cost something, the newest first. */
export function DayTable({ days }: { readonly days: readonly ConsoleDay[] }): JSX.Element {
  const busy = days.filter((day) => day.sessions + day.browsers > 0).toReversed();
  return (
    <details>
      <summary>Day by day</summary>
      {busy.length === 0 && <p class="quiet">Nothing was started in this time.</p>}
      {busy.length > 0 && (
        <div class="scroll">
          <table>
            <caption class="unseen">Costs by day</caption>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {[
                  'Sessions',
                  'Browsers',
                  'For models',
                  'For the planner',
                  'For browsers',
                  'For proxies',
                  'All of it',
                ].map((title) => (
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
                  <td class="number">{day.sessions}</td>
                  <td class="number">{day.browsers}</td>
                  <td class="number">{usdOfMicros(day.llmMicros)}</td>
                  <td class="number">{usdOfMicros(day.plannerMicros)}</td>
                  <td class="number">{usdOfMicros(day.browserMicros)}</td>
                  <td class="number">{usdOfMicros(day.proxyMicros)}</td>
                  <td class="number">{usdOfMicros(totalOfDay(day))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
