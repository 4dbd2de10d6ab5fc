import { type CircuitBreaker, createCircuitBreaker, type Exchange } from '../core/exchange.ts';
import { sample } from '../core/random.ts';

/** A cell and the answer of the target. */
export interface Probed<C> {
  cell: C;
  exchange: Exchange;
}

/** Cells that the target must refuse: the sent cells with their responses, and the cells that were not sent. */
export interface ProbeRecording<C> {
  probes: Probed<C>[];
  /** Cells that were not sent because the circuit breaker had opened. */
  unsent: C[];
}

/**
 * Sends probes one after another until the circuit breaker opens. The breaker counts the probes that were not refused
 * with 4xx, in all lists that share the breaker.
 */
export async function probeCells<C>(
  cells: readonly C[],
  send: (cell: C) => Promise<Exchange>,
  breaker: CircuitBreaker = createCircuitBreaker(),
): Promise<ProbeRecording<C>> {
  const probes: Probed<C>[] = [];
  for (const [index, cell] of cells.entries()) {
    if (breaker.on()) return { probes, unsent: cells.slice(index) };
    const exchange = await send(cell);
    breaker.note(exchange);
    probes.push({ cell, exchange });
  }
  return { probes, unsent: [] };
}

/** Maximum number of cells that are sent twice. */
const repeatedMax = 3;

/** Returns a few cells, chosen by the seed, each twice in succession. The keys of the two copies differ. */
export function repeatCells<C extends { key: string }>(cells: readonly C[], seed: number): C[] {
  return sample(cells, repeatedMax, seed).flatMap((cell) => [
    { ...cell, key: `${cell.key} once` },
    { ...cell, key: `${cell.key} again` },
  ]);
}

/**
 * Returns only the cell with the requested key if the table has this cell. Otherwise returns every cell, because the
 * key may belong to another check.
 */
export function selectedCells<C extends { key: string }>(cells: readonly C[], onlyCell: string | undefined): C[] {
  const one = cells.filter(({ key }) => key === onlyCell);
  return one.length > 0 ? one : [...cells];
}

/** Concatenates several probe recordings. */
export function joinRecordings<C>(...recordings: readonly ProbeRecording<C>[]): ProbeRecording<C> {
  return {
    probes: recordings.flatMap(({ probes }) => probes),
    unsent: recordings.flatMap(({ unsent }) => unsent),
  };
}
