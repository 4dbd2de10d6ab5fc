import { type Exchange, createBrake } from '../../core/exchange.ts';

/** A cell and what the target answered to it. */
export interface Probed<C> {
  cell: C;
  exchange: Exchange;
}

/** The recording of a list of refusal probes. */
export interface ProbeRecording<C> {
  probes: Probed<C>[];
  /** Cells that were not sent, because too many probes had not been refused. */
  unsent: C[];
}

/** Sends one probe after the other until the brake is on: three that were not refused. */
export async function probeCells<C>(
  cells: readonly C[],
  send: (cell: C) => Promise<Exchange>,
): Promise<ProbeRecording<C>> {
  const probes: Probed<C>[] = [];
  const brake = createBrake();
  for (const [index, cell] of cells.entries()) {
    if (brake.on()) return { probes, unsent: cells.slice(index) };
    const exchange = await send(cell);
    brake.note(exchange);
    probes.push({ cell, exchange });
  }
  return { probes, unsent: [] };
}
