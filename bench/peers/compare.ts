import type { Measured } from './peer.ts';
import type { Generation, Sampled } from './sample.ts';
import { getMedian } from '../../tools/measure/evidence.ts';

/** Results of one tool, combined from all of its runs. */
export interface Column {
  readonly peer: string;
  /** Number of detected mutants by class of fault. */
  readonly kills: Readonly<Record<string, number>>;
  /** Ids of the mutants that the tool was run against. */
  readonly met: readonly string[];
  readonly killed: readonly string[];
  /** Number of distinct complaints about the good servers, over all generations. */
  readonly falseAlarms: number;
  /**
   * Number of complaints about good servers that appear in only one of several runs against the same server. They show
   * how much chance contributes to detections.
   */
  readonly unsteady: number;
  /** Median number of requests over all runs. `seconds`, `created` and `leftAlive` are medians too. */
  readonly requests: number;
  readonly seconds: number;
  readonly created: number;
  readonly leftAlive: number;
  /** Number of runs of the tool that the time limit ended. */
  readonly cutShort: number;
  readonly runs: number;
}

/**
 * Combines the runs of a tool. A mutant counts as detected if the tool reports a complaint that it has never reported
 * for the good server of the generation.
 */
export function compare(peer: string, measured: readonly Measured[], sample: readonly Sampled[]): Column {
  const own = measured.filter((run) => run.peer === peer);
  const good = own.filter(({ mutant }) => mutant === null);
  const known = (generation: Generation): Set<string> =>
    new Set(good.filter((run) => run.generation === generation).flatMap(({ signatures }) => signatures));
  const drawn = sample.filter(({ id }) => own.some(({ mutant }) => mutant === id));
  const redOn = own
    .filter(
      ({ mutant, generation, signatures }) => mutant !== null && signatures.some((one) => !known(generation).has(one)),
    )
    .map(({ mutant }) => mutant ?? '');
  const killed = drawn.map(({ id }) => id).filter((id) => redOn.includes(id));
  const kinds = [...new Set(sample.map(({ kind }) => kind))];
  return {
    peer,
    killed,
    met: drawn.map(({ id }) => id),
    kills: Object.fromEntries(
      kinds.map((kind) => [kind, sample.filter((mutant) => mutant.kind === kind && killed.includes(mutant.id)).length]),
    ),
    falseAlarms: new Set(good.flatMap(({ generation, signatures }) => signatures.map((one) => `${generation} ${one}`)))
      .size,
    unsteady: getUnsteady(good),
    requests: getMedian(own.map(({ requests }) => requests)),
    seconds: getMedian(own.map(({ seconds }) => seconds)),
    created: getMedian(own.map(({ created }) => created)),
    leftAlive: getMedian(own.map(({ leftAlive }) => leftAlive)),
    cutShort: own.filter(({ cutShort }) => cutShort).length,
    runs: own.length,
  };
}

function getUnsteady(good: readonly Measured[]): number {
  return good.flatMap((run) => {
    const others = good.filter((other) => other !== run && other.generation === run.generation);
    const known = new Set(others.flatMap(({ signatures }) => signatures));
    return run.signatures.filter((one) => others.length > 0 && !known.has(one));
  }).length;
}
