import type { JSX } from 'preact';
import type { ConsoleModelCost } from '../../../contract/console-messages.ts';
import { usdOfMicros } from '../format/money.ts';

/** What each model has cost; nothing where none was used. */
export function ModelTable({ models }: { readonly models: readonly ConsoleModelCost[] }): JSX.Element | null {
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

const workers = { model: 'Model', offline_planner: 'Offline planner', simulation: 'Simulated model' } as const;
