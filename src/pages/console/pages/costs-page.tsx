import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleCosts, ConsoleDay, ConsoleModelCost } from '#contract/console-messages.ts';
import { useSession, usePoll } from '../api/hooks.ts';
import { usdOfMicros } from '../format.ts';
import { EmptyState } from '../parts/lists.tsx';
import { Facts, FaultNotice, Loading } from '../parts/facts.tsx';
import { CostChart, getTotal, totalOfDay } from './cost-chart.tsx';

const everyMs = 30_000;
const choices = [7, 30, 90];

/** Costs of the project by day and by model. */
export function CostsPage(): JSX.Element {
  const { api } = useSession();
  const [days, setDays] = useState(30);
  const path = `console/api/costs?days=${days}`;
  const { value, fault } = usePoll(path, () => api.call<ConsoleCosts>('GET', path), everyMs);
  return (
    <>
      <div class="head">
        <h1>Costs</h1>
        <div class="choices" role="group" aria-label="Days that are shown">
          {choices.map((choice) => (
            <button key={choice} type="button" aria-pressed={choice === days} onClick={() => setDays(choice)}>
              {choice} days
            </button>
          ))}
        </div>
      </div>
      <FaultNotice fault={fault} />
      {value === undefined && fault === null && <Loading />}
      {value !== undefined && (
        <>
          <Facts
            rows={[
              ['Total', usdOfMicros(getTotal(value.days, 'totalMicros'))],
              ['Models', usdOfMicros(getTotal(value.days, 'llmMicros'))],
              ['Simulated tokens', usdOrNull(getTotal(value.days, 'simulatedMicros'))],
              ['Browsers', usdOfMicros(getTotal(value.days, 'browserMicros'))],
              ['Proxies', usdOfMicros(getTotal(value.days, 'proxyMicros'))],
              ['Sessions', getTotal(value.days, 'sessions')],
              ['Browsers started', getTotal(value.days, 'browsers')],
            ]}
          />
          {getTotal(value.days, 'totalMicros') === 0 ? (
            <EmptyState title="No costs in this period">Costs of tasks and browsers appear here by day.</EmptyState>
          ) : (
            <CostChart days={value.days} />
          )}
          <DayTable days={value.days} />
          <ModelTable models={value.models} />
          <p class="hint">
            Days begin at midnight UTC. A session or browser counts on the day of its start. Running browsers are
            prepaid; unused time is refunded at their end.
          </p>
        </>
      )}
    </>
  );
}

/** Formats an amount; null for zero, whose row is omitted. */
function usdOrNull(micros: number): string | null {
  return micros === 0 ? null : usdOfMicros(micros);
}

/** Table of days with costs, the newest first. */
function DayTable({ days }: { readonly days: readonly ConsoleDay[] }): JSX.Element {
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
    isShown: (days) => getTotal(days, 'simulatedMicros') > 0,
  },
  { title: 'For browsers', cell: ({ browserMicros }) => usdOfMicros(browserMicros) },
  { title: 'For proxies', cell: ({ proxyMicros }) => usdOfMicros(proxyMicros) },
  { title: 'Total', cell: (day) => usdOfMicros(totalOfDay(day)) },
];

/** Table of costs by model; nothing without any. */
function ModelTable({ models }: { readonly models: readonly ConsoleModelCost[] }): JSX.Element | null {
  if (models.length === 0) return null;
  return (
    <div class="scroll">
      <h2>By model</h2>
      <table>
        <caption class="unseen">Costs by model</caption>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col" class="number">
              Tasks
            </th>
            <th scope="col" class="number">
              Tokens cost
            </th>
          </tr>
        </thead>
        <tbody>
          {models.map(({ answeredBy, model, runs, llmMicros }) => (
            <tr key={model ?? answeredBy}>
              <th scope="row" class="wrap">
                {model ?? workers[answeredBy]}
              </th>
              <td class="number">{runs}</td>
              <td class="number">{usdOfMicros(llmMicros)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const workers = {
  model: 'Model',
  offline_planner: 'Offline planner',
  simulation: 'Simulated model',
  script: 'Script',
} as const;
