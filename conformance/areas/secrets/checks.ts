import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { Exchange } from '../../core/exchange.ts';
import type { JsonObject } from '../../core/json.ts';
import type { AnyScenario, Scenario } from '../../core/scenario.ts';
import type { Generation, Target } from '../../core/target.ts';
import { runProbe, sessionProbe, taskProbe } from '../../common/probe-bodies.ts';
import { type Proxied, proxiedBrowser, proxiedSession, secretSession } from './scenarios.ts';
import { runMembers } from '../v4-runs/scenarios-members.ts';
import { taskOptions } from '../v2-tasks/scenarios-options.ts';
import { judged } from '../../common/judgement.ts';

/**
 * Checks of secrets: no response contains their values, invalid secrets and bindings are refused, and the maximum
 * number of bindings is accepted.
 */
export const secretChecks: readonly Check[] = [
  // Runs last, so that the check judges every response of the run.
  check('SECRET-01', { needs: given, phase: 'last' }, async (t) => {
    for (const generation of t.generations) hidden(t, generation, [await readSecret(t, generation)]);
  }),
  check('SECRET-02', {}, async (t) => {
    for (const generation of t.generations) {
      const value = t.secret(generation);
      const exchange = await wrongSecret(t, generation, value);
      judged(t, exchange, `${generation} secrets of which one is no text`).status(422);
      hidden(t, generation, [value]);
    }
  }),
  check('SECRET-03', {}, async (t) => {
    for (const [what, secretBindings] of Object.entries(wrongBindings())) {
      const body = { ...runProbe(t.target), secretBindings };
      judged(t, await t.operations.probe('run', 'v4.createRun', { body }), `a V4 run with ${what}`).status(422);
    }
  }),
  check('SECRET-04', { needs: [runMembers] }, async (t) => {
    const { created } = (await t.recording(runMembers)).equipped;
    judged(t, created, 'a V4 run with ten bindings of ten domains').taken();
  }),
  check('SECRET-05', { needs: [proxiedSession], phase: 'last' }, async (t) => credentials(t, 'v2', proxiedSession)),
  check('SECRET-06', { needs: [proxiedBrowser], phase: 'last' }, async (t) => credentials(t, 'v4', proxiedBrowser)),
];

function given({ v2, v3, v4 }: Target): AnyScenario[] {
  return [
    ...(v2 === null ? [] : [taskOptions]),
    ...(v3 === null ? [] : [secretSession]),
    ...(v4 === null ? [] : [runMembers]),
  ];
}

async function credentials(t: CheckContext, generation: Generation, scenario: Scenario<Proxied>): Promise<void> {
  const { username, password } = await t.recording(scenario);
  hidden(t, generation, [username, password]);
}

async function readSecret(t: CheckContext, generation: Generation): Promise<string> {
  if (generation === 'v2') return (await t.recording(taskOptions)).secret.value;
  if (generation === 'v3') return (await t.recording(secretSession)).value;
  return (await t.recording(runMembers)).equipped.secret;
}

/** Judges that no response of the run contains one of these values in its body or headers. */
function hidden(t: CheckContext, cell: Generation, values: readonly string[]): void {
  const shows = ({ body, headers }: Exchange): boolean =>
    values.some((value) => body.includes(value) || Object.values(headers).some((header) => header.includes(value)));
  const found = t.recorder.all().filter((exchange) => shows(exchange));
  const message = `${found.length} answers show a value that was given as a secret in ${cell}; expected none`;
  t.expect(found.length === 0, { cell, exchange: found[0], message });
}

function wrongSecret(t: CheckContext, generation: Generation, value: string): Promise<Exchange> {
  const values = { right: value, wrong: [value] };
  if (generation === 'v2')
    return t.operations.probe('task', 'v2.createTask', { body: { ...taskProbe(), secrets: values } });
  if (generation === 'v3') {
    const body = { ...sessionProbe(t.target), sensitiveData: values };
    return t.operations.probe('session', 'v3.createSession', { body });
  }
  const secretBindings = [binding({ source: { type: 'inline', value: [value] } })];
  return t.operations.probe('run', 'v4.createRun', { body: { ...runProbe(t.target), secretBindings } });
}

function binding(change: JsonObject = {}): JsonObject {
  return {
    alias: 'svc-check',
    source: { type: 'inline', value: 'none' },
    allowedDomains: ['example.com'],
    ...change,
  };
}

function wrongBindings(): Record<string, JsonObject[]> {
  const inline = (value: string): JsonObject => ({ source: { type: 'inline', value } });
  const domains = Array.from({ length: 11 }, (_, index) => `svc-check-${index}.example.com`);
  return {
    'eleven bindings': Array.from({ length: 11 }, (_, index) => binding({ alias: `svc-check-${index}` })),
    'a binding without domains': [binding({ allowedDomains: [] })],
    'a binding of eleven domains': [binding({ allowedDomains: domains })],
    'an empty value': [binding(inline(''))],
    // Each of these characters has two bytes in UTF-8.
    'a value of more than 4096 bytes': [binding(inline('\u00e4'.repeat(2049)))],
  };
}
