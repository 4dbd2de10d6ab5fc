import type { Drive, Scenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target/target.ts';
import { type ProviderCell, providerCells } from './cells.ts';
import { type ProviderSeen, sendProviderTask, unseen } from './scenarios-part-provider-task.ts';

/** The same V4 runs with the key of the caller's provider account and with that of the service. */
export interface ProviderKeys {
  pairs: { own: ProviderSeen; service: ProviderSeen }[];
}

/** V4 runs in two projects, of which only the first has stored a provider key. */
export const providerKeys: Scenario<ProviderKeys> = {
  name: 'provider-keys',
  creates: 'three V4 runs with each of two keys, each until its end',
  spend: 'task',
  dispatches: 6,
  stateful: true,
  needsOtherKey: true,
  unavailable: (target) => unseen(target) ?? keyless(target),
  drive: (drive) => drive.live(() => sendPairs(drive)),
};

function keyless(target: Target): string | undefined {
  if (comparedCells(target).length > 0) return undefined;
  return 'the target file names no stored provider key of a V4 model with its last characters (ownKeys, providerStub.ownKeyEndings)';
}

/** Runs of one model whose provider has a stored key: with a value, without modelParams and with an empty object. */
function comparedCells({ ownKeys, providerStub }: Target): ProviderCell[] {
  const known = ownKeys.filter((provider) => providerStub?.ownKeyEndings[provider] !== undefined);
  const cells = providerCells.v4.filter(({ provider }) => known.includes(provider));
  const absent = cells.find(({ option }) => option === 'absent');
  const same = cells.filter(({ model }) => model === absent?.model);
  return (['param', 'absent', 'empty'] as const)
    .map((option) => same.find((cell) => cell.option === option))
    .filter((cell) => cell !== undefined);
}

/** Numbers of marks that no cell of the tables has. */
const shifts = { own: 5000, service: 6000 } as const;

async function sendPairs(drive: Drive): Promise<ProviderKeys> {
  const pairs: ProviderKeys['pairs'] = [];
  const key = { other: drive.otherApiKey ?? '' };
  for (const cell of comparedCells(drive.target)) {
    const own = await sendProviderTask(drive, cell, { shift: shifts.own });
    pairs.push({ own, service: await sendProviderTask(drive, cell, { key, shift: shifts.service }) });
  }
  return { pairs };
}
