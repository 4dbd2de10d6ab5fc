import uPlot from 'uplot';
import type { ConsoleDay } from '../../../contract/console-messages.ts';
import { usd } from '../format/money.ts';

const height = 220;
const labelWidth = 64;
const font = '12px system-ui, sans-serif';

/** A chart as wide as its place, in the colours that the page has now. */
export function chartOptions(place: HTMLElement, days: readonly ConsoleDay[]): uPlot.Options {
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

/** A colour of the style as it is now: a canvas does not know which of the two that a name stands for is meant. */
function resolvedColour(place: HTMLElement, name: string): string {
  const probe = place.appendChild(document.createElement('span'));
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Month and day; nothing between two days. */
function dayName(days: readonly ConsoleDay[], split: number): string {
  return Number.isInteger(split) ? (days[split]?.day.slice(5) ?? '') : '';
}
