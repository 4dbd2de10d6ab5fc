import { createRoute } from '#conformance/index.ts';
import { type Flags, readNetwork } from '../check/read-flags.ts';
import { exitCodes } from '../exit-codes.ts';
import { printError } from '../print.ts';
import { whileSaying } from '../while-saying.ts';
import { untilSignal } from '../signals.ts';
import { findWay } from './find-way.ts';
import { openTunnel } from './open-tunnel.ts';

/** Runs `svc tunnel` until a signal, or until its browser was stopped; answers with the exit code. */
export async function runTunnel(cdpUrl: string, flags: Flags & { readonly port: number }): Promise<number> {
  const way = await findWay(cdpUrl, createRoute(readNetwork(flags)));
  const onFault = (fault: Error): void => printError(`${fault.message}\n`);
  // Listened for before the line that tells a caller that it may send one.
  const stopped = untilSignal().then(() => null);
  const tunnel = await whileSaying('starting', () => openTunnel({ ...way, port: flags.port, onFault }));
  console.log(`debuggerAddress ${tunnel.address}`);
  console.log(`listening on http://${tunnel.address}`);
  const fault = await Promise.race([stopped, tunnel.over]);
  await tunnel.close();
  return fault === null ? exitCodes.ok : exitCodes.unreachable;
}
