import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
// oxlint-disable-next-line import/no-unassigned-import -- the build puts it into the style of the page
import 'uplot/dist/uPlot.min.css';
import type { ConsoleDay } from '#contract/console-messages.ts';
import { usdOfMicros } from '../format/money.ts';
import { chartOptions } from '../costs/chart-options.ts';
import { stacked } from '../costs/stacked.ts';
import { totalOf } from '../costs/total-of.ts';

/** Costs by day as bars upon each other. Who does not see it is told the sum and finds every day in the table below. */
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
  const sum = usdOfMicros(totalOf(days, 'totalMicros'));
  return (
    <figure>
      <div ref={place} class="chart" role="img" aria-label={`Costs of ${days.length} days, ${sum} in all`} />
      <figcaption class="legend">
        <span class="key models">Models</span>
        {totalOf(days, 'simulatedMicros') > 0 && <span class="key simulated">Simulated tokens</span>}
        <span class="key browsers">Browsers</span>
        <span class="key proxies">Proxies</span>
      </figcaption>
    </figure>
  );
}
