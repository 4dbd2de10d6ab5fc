import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot, { type AlignedData } from 'uplot';
// oxlint-disable-next-line import/no-unassigned-import -- the build puts it into the style of the page
import 'uplot/dist/uPlot.min.css';
import type { ConsoleDay } from '#contract/console-messages.ts';
import { usdOfMicros, usd } from '../format.ts';

/** Stacked bars of the costs by day. Screen readers get the sum; the table below has every day. */
export function CostChart({ days }: { readonly days: readonly ConsoleDay[] }): JSX.Element {
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
  const sum = usdOfMicros(getTotal(days, 'totalMicros'));
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

const microsPerUsd = 1_000_000;

/**
 * Returns the series of stacked bars in US dollars. The total comes first, so that smaller sums are drawn over it.
 * Positions of days are indexes from 0, because midnight differs between time zones.
 */
function stacked(days: readonly ConsoleDay[]): AlignedData {
  const column = (value: (day: ConsoleDay) => number): number[] => days.map((day) => value(day) / microsPerUsd);
  return [
    days.map((_day, index) => index),
    column(totalOfDay),
    column(({ llmMicros, simulatedMicros, browserMicros }) => llmMicros + simulatedMicros + browserMicros),
    column(({ llmMicros, simulatedMicros }) => llmMicros + simulatedMicros),
    column(({ llmMicros }) => llmMicros),
  ];
}

/** Name of a daily sum. */
export type DaySum = Exclude<keyof ConsoleDay, 'day'> | 'totalMicros';

/** Returns the sum of one member over all days; `totalMicros` sums all kinds of costs. */
export function getTotal(days: readonly ConsoleDay[], member: DaySum): number {
  return days.reduce((sum, day) => sum + (member === 'totalMicros' ? totalOfDay(day) : day[member]), 0);
}

/** Returns the total cost of a day in micro-dollars. */
export function totalOfDay({ llmMicros, simulatedMicros, browserMicros, proxyMicros }: ConsoleDay): number {
  return llmMicros + simulatedMicros + browserMicros + proxyMicros;
}
