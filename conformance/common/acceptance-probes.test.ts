import { describe, expect, it } from 'vitest';
import type { Exchange } from '../core/exchange.ts';
import { type JsonObject, parseJson } from '../core/json.ts';
import type { RequestSpec } from '../core/request.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import { probeAcceptance, refusesCell } from './acceptance-probes.ts';

const table = {
  generation: 'v2',
  cells: ['low', 'high'],
  control: 'never',
  bare: () => ({ task: 'Reply.' }),
  value: (level: string) => ({ thinkingLevel: level }),
  isAbout: (level: string, { body }: Exchange) => body.includes(`"${level}"`),
} as const;

/**
 * Runs the probes against a target for which `answer` returns the status and the text of each response. Returns the
 * keys of the cells that the target refused, and the number of requests.
 */
async function probe(answer: (body: JsonObject) => readonly [number, string]): Promise<[string[], number]> {
  let sent = 0;
  const resources = {
    probe: (_kind: string, { body }: RequestSpec) => {
      sent += 1;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every request of the table has an object
      const [status, text] = answer(body as JsonObject);
      return Promise.resolve({ status, body: text, json: parseJson(text) });
    },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the three members that probing uses
  const context = { resources, target: {}, seed: 1 } as unknown as ScenarioContext;
  const probes = await probeAcceptance(context, table);
  return [probes.filter((one) => refusesCell(one, table.isAbout)).map(({ cell }) => cell), sent];
}

function validatesFirst(refused: readonly string[]): (body: JsonObject) => readonly [number, string] {
  return ({ thinkingLevel }) =>
    refused.includes(String(thinkingLevel)) ? [422, `"${String(thinkingLevel)}"`] : [404, 'not found'];
}

describe('probes of cells that must be accepted', () => {
  it('find a listed value that is refused', async () => {
    expect(await probe(validatesFirst(['never', 'high']))).toEqual([['high'], 5]);
  });

  it('find nothing where every listed value changes nothing', async () => {
    expect(await probe(validatesFirst(['never']))).toEqual([[], 5]);
  });

  it('allow that only a request with the value comes as far as the unknown id', async () => {
    const answers: Record<string, [number, string]> = { never: [422, '"never"'], low: [404, 'not found'] };
    expect(await probe(({ thinkingLevel }) => answers[String(thinkingLevel)] ?? [422, 'needs a level'])).toEqual([
      [],
      5,
    ]);
  });

  it('conclude nothing of a target that looks the id up first', async () => {
    expect(await probe(() => [404, 'not found'])).toEqual([[], 6]);
  });

  it('end after one request of each kind at a target that accepts them', async () => {
    expect(await probe(() => [202, ''])).toEqual([[], 2]);
  });

  it('find a refused value of a target that forbids each unknown id', async () => {
    const forbids = (refused: readonly string[]) => (body: JsonObject) => {
      const [status, text] = validatesFirst(refused)(body);
      return status === 404 ? ([403, 'forbidden'] as const) : ([status, text === '"high"' ? 'no' : text] as const);
    };
    expect(await probe(forbids(['never', 'high']))).toEqual([['high'], 5]);
    expect(await probe(forbids(['never']))).toEqual([[], 5]);
  });

  it('find a refused value beside another fault, where the target reports both', async () => {
    const text = (body: JsonObject, refused: readonly string[]): string => {
      const wrong = [...('task' in body && body['task'] === 7 ? ['task'] : []), ...refused];
      return JSON.stringify({ detail: wrong.map((name) => ({ loc: ['body', name], msg: name, type: 'value' })) });
    };
    const answer =
      (refused: readonly string[]) =>
      (body: JsonObject): readonly [number, string] => {
        const level = String(body['thinkingLevel']);
        if (body['task'] !== 7) return [404, 'not found'];
        return [422, text(body, refused.includes(level) ? [level === 'never' ? 'never' : 'thinkingLevel'] : [])];
      };
    expect(await probe(answer(['never', 'high']))).toEqual([['high'], 9]);
    expect(await probe(answer(['never']))).toEqual([[], 9]);
  });
});
