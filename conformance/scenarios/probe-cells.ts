import { type Exchange, succeeded } from '../harness/exchange.ts';

/** A cell and what the target answered to it. */
export interface Probed<C> {
  cell: C;
  exchange: Exchange;
}

/** The recording of a list of refusal probes. */
export interface ProbeRecording<C> {
  probes: Probed<C>[];
  /** Cells that were not sent, because too many probes had been accepted. */
  unsent: C[];
}

/** Each accepted probe is a live thing that costs: three are enough to know. */
const acceptedMax = 3;

/** Sends one probe after the other until three have been accepted. */
export async function probeCells<C>(
  cells: readonly C[],
  send: (cell: C) => Promise<Exchange>,
): Promise<ProbeRecording<C>> {
  const probes: Probed<C>[] = [];
  for (const [index, cell] of cells.entries()) {
    const accepted = probes.filter(({ exchange }) => succeeded(exchange)).length;
    if (accepted >= acceptedMax) return { probes, unsent: cells.slice(index) };
    probes.push({ cell, exchange: await send(cell) });
  }
  return { probes, unsent: [] };
}
