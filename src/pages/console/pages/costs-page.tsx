import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleCosts } from '#contract/console-messages.ts';
import { useSession } from '../api/session-context.ts';
import { usePoll } from '../api/hooks.ts';
import { usdOfMicros } from '../format/money.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Facts } from '../parts/facts.tsx';
import { FaultNotice } from '../parts/fault-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { CostChart } from './cost-chart.tsx';
import { DayTable } from '../costs/day-table.tsx';
import { ModelTable } from '../costs/model-table.tsx';
import { totalOf } from '../costs/total-of.ts';

const everyMs = 30_000;
const choices = [7, 30, 90];

/** What the project has cost, day by day and by model. */
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
              ['Total', usdOfMicros(totalOf(value.days, 'totalMicros'))],
              ['Models', usdOfMicros(totalOf(value.days, 'llmMicros'))],
              ['Simulated tokens', usdOrNull(totalOf(value.days, 'simulatedMicros'))],
              ['Browsers', usdOfMicros(totalOf(value.days, 'browserMicros'))],
              ['Proxies', usdOfMicros(totalOf(value.days, 'proxyMicros'))],
              ['Sessions', totalOf(value.days, 'sessions')],
              ['Browsers started', totalOf(value.days, 'browsers')],
            ]}
          />
          {totalOf(value.days, 'totalMicros') === 0 ? (
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

/** Returns an amount, or null for nothing: then its row is left out. */
function usdOrNull(micros: number): string | null {
  return micros === 0 ? null : usdOfMicros(micros);
}
