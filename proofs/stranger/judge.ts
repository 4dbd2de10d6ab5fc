/** Judges one independent server with the conformance suite, in this process. */
import { readFileSync } from 'node:fs';
import { parseTarget, run, SuiteError, type Profile, type Report } from '#conformance/index.ts';
import type { FaultId } from './faults/index.ts';
import type { Spend } from './faults/row.ts';
import type { DialectName } from './server/dialect.ts';
import { keys, serveStranger } from './server/serve.ts';

const target = readFileSync(new URL('svc-target.yaml', import.meta.url), 'utf8');

/** A server to judge, and the options of the run. */
export interface Case {
  readonly faults: readonly FaultId[];
  readonly dialect: DialectName;
  readonly spend: Spend;
  readonly profile: Profile;
  readonly seed: number;
  /**
   * Ids of requirements that the unbroken server also violates. A violation of these requirements does not count as
   * detection of a fault.
   */
  readonly known: readonly string[];
  /** Whether the run ends at its first finding. */
  readonly isShort: boolean;
  /** Ids or areas of the requirements to judge; all requirements when absent. */
  readonly only?: readonly string[];
}

/** Result of the suite for one server. */
export interface Judged {
  /**
   * Ids of violated requirements, without those in `known` of the case. The only entry is `preflight` if the run ended
   * before it judged anything. This happens when the server refuses the key of the suite or is not recognized as a
   * service.
   */
  readonly violated: readonly string[];
  /** Ids of requirements with an error of the suite. */
  readonly errors: readonly string[];
  /**
   * First failure message of the first requirement in `violated`; empty if no requirement is violated. For `preflight`,
   * the error that ended the run.
   */
  readonly note: string;
  /** True if the code of an active fault was executed, or if the run ended before it judged anything. */
  readonly isReached: boolean;
  readonly requests: number;
  readonly seconds: number;
  /** Number of resources that the suite could not end. Such resources fail a run even if no requirement is violated. */
  readonly left: number;
}

/** Starts an independent server with the given faults, judges it with the suite, and stops it. */
export async function judge(given: Case): Promise<Judged> {
  const server = await serveStranger(given.faults, given.dialect);
  try {
    const report = await run({
      target: parseTarget({ url: server.url, text: `${target}control: ${server.url}/control\n` }),
      apiKey: keys.first,
      ...(given.profile === 'full' ? { otherApiKey: keys.second } : {}),
      profile: given.profile,
      spend: given.spend,
      seed: given.seed,
      known: given.known,
      ...(given.only ? { only: given.only } : {}),
      ...(given.isShort ? { maxFailures: 1 } : {}),
    });
    return { ...readVerdicts(report, given), isReached: server.world.faults.reached.size > 0 };
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    return {
      violated: ['preflight'],
      errors: [],
      note: error.message,
      isReached: true,
      requests: 0,
      seconds: 0,
      left: 0,
    };
  } finally {
    await server.close();
  }
}

function readVerdicts(report: Report, { known }: Case): Omit<Judged, 'isReached'> {
  const failed = report.requirements.filter(({ id, verdict }) => verdict === 'violation' && !known.includes(id));
  return {
    violated: failed.map(({ id }) => id),
    errors: report.requirements.filter(({ verdict }) => verdict === 'error').map(({ id }) => id),
    note: failed[0]?.failures[0]?.message ?? '',
    requests: report.exchangeCount,
    seconds: report.durationMs / 1000,
    left: report.left.length,
  };
}
