import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { operationsOf } from '../../../src/cli/spec/operations-of.ts';
import { expectObject, expectText } from '../parse.ts';

interface Problem {
  readonly status: number;
  readonly retryAfter?: string;
}

/** Returns the statuses of refusal that a document has, with what they mean, as rows of a Markdown table. */
export function statusRows(document: JsonObject, problems: readonly Problem[]): string {
  const meanings = new Map<string, Set<string>>();
  for (const { operation } of operationsOf(document))
    for (const [status, response] of Object.entries(expectObject(operation['responses'], 'responses'))) {
      if (Number(status) < 400) continue;
      const known = meanings.get(status) ?? new Set();
      meanings.set(status, known.add(meaningOf(document, expectObject(response, status))));
    }
  return [...meanings]
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([status, texts]) => `| ${status} | ${[...texts].join(' ')} | ${advice(Number(status), problems)} |`)
    .join('\n');
}

function meaningOf(document: JsonObject, response: JsonObject): string {
  const { $ref } = response;
  const meant =
    typeof $ref === 'string' ? sharedResponse(document, $ref.replace('#/components/responses/', '')) : response;
  return expectText(meant['description'], 'a description');
}

function advice(status: number, problems: readonly Problem[]): string {
  const waits = problems.some((problem) => problem.status === status && problem.retryAfter !== undefined);
  if (waits) return 'Yes, after the seconds of `Retry-After`';
  return status >= 500 ? 'Yes, after a second' : 'No, correct it first';
}

/** Returns the first example of a shared response of a document as JSON. */
export function refusalExample(document: JsonObject, response: string): string {
  const content = expectObject(sharedResponse(document, response)['content'], response);
  const { examples } = expectObject(content['application/json'], response);
  const [example] = Object.values(isJsonObject(examples) ? examples : {});
  return JSON.stringify(expectObject(example, `an example of ${response}`)['value']);
}

function sharedResponse(document: JsonObject, name: string): JsonObject {
  const components = expectObject(document['components'], 'components');
  return expectObject(expectObject(components['responses'], 'components.responses')[name], name);
}
