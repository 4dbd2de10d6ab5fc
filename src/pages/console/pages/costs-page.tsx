import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConsoleCosts, ConsoleDay, ConsoleModelCost } from '#contract/console-messages.ts';
import { useSession } from '../api/hooks.ts';
import { usePoll } from '../api/polling.ts';
import { usd, formatUsdMicros, microsPerUsd } from '../format.ts';
import { EmptyState, TableHead } from '../parts/lists.tsx';
import { Facts, ReadingState } from '../parts/facts.tsx';
import uPlot, { type AlignedData } from 'uplot';
// oxlint-disable-next-line import/no-unassigned-import -- the build puts it into the style of the page
import 'uplot/dist/uPlot.min.css';

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
      <ReadingState of={value} fault={fault} />
      {value !== undefined && (
        <>
          <Facts
            rows={[
              ['Total', formatUsdMicros(getTotal(value.days, 'totalMicros'))],
              ['Models', formatUsdMicros(getTotal(value.days, 'llmMicros'))],
              ['Simulated tokens', usdOrNull(getTotal(value.days, 'simulatedMicros'))],
              ['Browsers', formatUsdMicros(getTotal(value.days, 'browserMicros'))],
              ['Proxies', formatUsdMicros(getTotal(value.days, 'proxyMicros'))],
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
  return micros === 0 ? null : formatUsdMicros(micros);
}

/** Table of the days on which a session or browser was started, the newest first. */
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
            <TableHead columns={['Day', ...columns.map(({ title }) => ({ number: title }))]} />
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
  { title: 'For models', cell: ({ llmMicros }) => formatUsdMicros(llmMicros) },
  {
    title: 'Simulated tokens',
    cell: ({ simulatedMicros }) => formatUsdMicros(simulatedMicros),
    isShown: (days) => getTotal(days, 'simulatedMicros') > 0,
  },
  { title: 'For browsers', cell: ({ browserMicros }) => formatUsdMicros(browserMicros) },
  { title: 'For proxies', cell: ({ proxyMicros }) => formatUsdMicros(proxyMicros) },
  { title: 'Total', cell: (day) => formatUsdMicros(sumDay(day)) },
];

/** Table of costs by model; nothing without any. */
function ModelTable({ models }: { readonly models: readonly ConsoleModelCost[] }): JSX.Element | null {
  if (models.length === 0) return null;
  return (
    <div class="scroll">
      <h2>By model</h2>
      <table>
        <caption class="unseen">Costs by model</caption>
        <TableHead columns={['Model', { number: 'Tasks' }, { number: 'Tokens cost' }]} />
        <tbody>
          {models.map(({ answeredBy, model, runs, llmMicros }) => (
            <tr key={model ?? answeredBy}>
              <th scope="row" class="wrap">
                {model ?? workers[answeredBy]}
              </th>
              <td class="number">{runs}</td>
              <td class="number">{formatUsdMicros(llmMicros)}</td>
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

/** Stacked bars of the costs by day. Screen readers get the sum; the table below has every day. */
function CostChart({ days }: { readonly days: readonly ConsoleDay[] }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    let chart: uPlot | undefined;
    const draw = (): void => {
      chart?.destroy();
      chart = new uPlot(chartOptions(parent, days), stacked(days), parent);
    };
    const resized = new ResizeObserver(draw);
    resized.observe(parent);
    dark.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      dark.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, [days]);
  const sum = formatUsdMicros(getTotal(days, 'totalMicros'));
  return (
    <figure>
      <div ref={place} class="chart" role="img" aria-label={`Costs of ${days.length} days, ${sum} in all`} />
      <figcaption class="legend">
        <span class="key models">Models</span>
        {getTotal(days, 'simulatedMicros') > 0 && <span class="key simulated">Simulated tokens</span>}
        <span class="key browsers">Browsers</span>
        <span class="key proxies">Proxies</span>
      </figcaption>
    </figure>
  );
}

const height = 220;
const labelWidth = 64;
const font = '12px system-ui, sans-serif';

/** Returns the options of a chart with the width of its container and the current colours. */
function chartOptions(place: HTMLElement, days: readonly ConsoleDay[]): uPlot.Options {
  const colour = (name: string): string => resolvedColour(place, name);
  const axis = { stroke: colour('--soft'), font, grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
  const series = (name: string): uPlot.Series => ({
    fill: colour(name),
    stroke: colour(name),
    width: 0,
    points: { show: false },
    ...(bars === undefined ? {} : { paths: bars }),
  });
  return {
    width: Math.max(place.clientWidth, 200),
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.6, days.length - 0.4] },
      y: { range: (_chart, _min, max) => [0, max || 1] },
    },
    axes: [
      { ...axis, grid: { show: false }, values: (_chart, splits) => splits.map((split) => dayName(days, split)) },
      { ...axis, size: labelWidth, values: (_chart, splits) => splits.map(usd) },
    ],
    series: [{}, series('--proxies'), series('--browsers'), series('--simulated'), series('--models')],
  };
}

/** Returns the current value of a colour variable, because a canvas cannot resolve light and dark variants. */
function resolvedColour(place: HTMLElement, name: string): string {
  const probe = place.appendChild(document.createElement('span'));
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Returns month and day of a bar; empty between two bars. */
function dayName(days: readonly ConsoleDay[], split: number): string {
  return Number.isInteger(split) ? (days[split]?.day.slice(5) ?? '') : '';
}

/**
 * Returns the series of stacked bars in US dollars. The total comes first, so that smaller sums are drawn over it.
 * Positions of days are indexes from 0, because midnight differs between time zones.
 */
function stacked(days: readonly ConsoleDay[]): AlignedData {
  const column = (value: (day: ConsoleDay) => number): number[] => days.map((day) => value(day) / microsPerUsd);
  return [
    days.map((_day, index) => index),
    column(sumDay),
    column(({ llmMicros, simulatedMicros, browserMicros }) => llmMicros + simulatedMicros + browserMicros),
    column(({ llmMicros, simulatedMicros }) => llmMicros + simulatedMicros),
    column(({ llmMicros }) => llmMicros),
  ];
}

/** Name of a daily sum. */
type DaySum = Exclude<keyof ConsoleDay, 'day'> | 'totalMicros';

/** Returns the sum of one member over all days; `totalMicros` sums all kinds of costs. */
function getTotal(days: readonly ConsoleDay[], member: DaySum): number {
  return days.reduce((sum, day) => sum + (member === 'totalMicros' ? sumDay(day) : day[member]), 0);
}

/** Returns the total cost of a day in micro-dollars. */
function sumDay({ llmMicros, simulatedMicros, browserMicros, proxyMicros }: ConsoleDay): number {
  return llmMicros + simulatedMicros + browserMicros + proxyMicros;
}
