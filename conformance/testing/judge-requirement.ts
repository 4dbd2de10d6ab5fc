import { checks } from '../areas/index.ts';
import { CreationRefused } from '../common/observed-session.ts';
import { defaultTarget } from '../core/default-target.ts';
import type { Exchange } from '../core/exchange.ts';
import type { JsonObject } from '../core/json.ts';
import { findRequirement } from '../core/requirement.ts';
import type { Target } from '../core/target.ts';
import type { Transport } from '../core/transport.ts';
import { type Judgement, judge } from '../runner/judge.ts';
import { settle } from '../runner/options.ts';
import { createRunContext } from '../runner/run-context.ts';

/** The default target, at a port that no server uses. */
export const unservedTarget: Target = { ...defaultTarget, url: 'http://127.0.0.1:1' };

/** Returns a GET exchange with a JSON body. */
export function createAnswer(status: number, json: JsonObject = {}, operation = 'getSession'): Exchange {
  const request = { method: 'GET', url: unservedTarget.url, headers: {} };
  const sent = { index: 0, generation: 'v3', operation, sentBy: 'test', atMs: 0, durationMs: 0, request } as const;
  return { ...sent, status, headers: {}, body: '', json };
}

export interface JudgedInput {
  /** @defaultValue `unservedTarget` */
  on?: Target;
  /** The recording that every scenario returns. */
  recorded?: unknown;
  /** The refused creation with which every scenario ends; `recorded` is then not used. @defaultValue none */
  refused?: Exchange;
  /** Session records and exchanges that the run has recorded before the check. @defaultValue none */
  records?: readonly JsonObject[];
  exchanges?: readonly Exchange[];
  /** Answers the requests of the check. @defaultValue the transport of a run: no request gets an answer */
  transport?: Transport;
}

/** Runs the check of one requirement, without the scenarios that it needs. */
export async function judgeRequirement(
  id: string,
  { on = unservedTarget, recorded, refused, records = [], exchanges = [], transport }: JudgedInput,
): Promise<Judgement> {
  const check = checks.find((candidate) => candidate.id === id);
  const requirement = check === undefined ? undefined : findRequirement(check.id);
  if (check === undefined || requirement === undefined) throw new Error(`no check for ${id}`);
  const options = { target: on, apiKey: 'svc_key', ratePerSecond: 0 };
  const settings = settle(transport === undefined ? options : { ...options, transport });
  const { signal } = new AbortController();
  const context = createRunContext({ settings, signal }).contextFor('test');
  for (const record of records) context.recorder.add(createAnswer(200, record));
  for (const exchange of exchanges) context.recorder.add(exchange);
  // The fake returns the same recording for every scenario.
  const recording = <T>(): Promise<T> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller chooses a recording of the right type
    refused === undefined ? Promise.resolve(recorded as T) : Promise.reject(new CreationRefused(refused));
  return judge({ requirement, check, context, only: undefined, recording });
}
