import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Version } from './bundle.ts';
import { expectObject } from './parse.ts';
import type { RuleTables } from './rule-tables.ts';

type Problem = RuleTables['errors']['problems'][number];
type Example = RuleTables['errorExamples']['examples'][number];

/**
 * Returns a copy of a document with error examples in its shared responses, after the existing examples. Each code of
 * errors.yaml whose response the document contains gets an example, except those in `elsewhere` of error-examples.yaml.
 * Error texts are thus written in one place.
 */
export function fillErrorExamples(document: JsonObject, tables: RuleTables, version: Version): JsonObject {
  const filled = structuredClone(document);
  const components = expectObject(filled['components'], 'components');
  const responses = expectObject(components['responses'], 'components.responses');
  const statuses = getStatuses(filled);
  for (const { problem, example } of shownIn(tables, version, statuses)) {
    const content = expectObject(expectObject(responses[example.response], example.response)['content'], 'content');
    const media = expectObject(content['application/json'], 'application/json');
    const others = isJsonObject(media['examples']) ? media['examples'] : {};
    media['examples'] = { ...others, [problem.code]: { value: getBody(problem, example) } };
  }
  return filled;
}

interface Shown {
  readonly problem: Problem;
  readonly example: Example;
}

/**
 * Returns the codes to show in the document, each with its example and the name of its response: first the rows of
 * error-examples.yaml in their order, then the codes that this file does not name.
 */
function shownIn(tables: RuleTables, version: Version, statuses: ReadonlyMap<string, number>): Shown[] {
  return [...listed(tables), ...unlisted(tables, statuses)].filter(
    ({ example: { response, versions = [version] } }) => statuses.has(response) && versions.includes(version),
  );
}

function listed({ errors, errorExamples }: RuleTables): Shown[] {
  const known = new Map(errors.problems.map((problem) => [problem.code, problem]));
  const rows = errorExamples.examples.map((example) => ({ example, problem: known.get(example.code) }));
  const named = [...errorExamples.elsewhere, ...errorExamples.examples.map(({ code }) => code)];
  const unknown = named.filter((code) => !known.has(code));
  if (unknown.length > 0) throw new Error(`error-examples: found ${unknown.join(', ')}, expected codes of errors.yaml`);
  return rows.flatMap(({ example, problem }) => (problem === undefined ? [] : [{ example, problem }]));
}

/**
 * Returns the codes that error-examples.yaml does not name, each with the first shared response of its status. The name
 * of the response is empty if the document has no such response.
 */
function unlisted({ errors, errorExamples }: RuleTables, statuses: ReadonlyMap<string, number>): Shown[] {
  const settled = [...errorExamples.elsewhere, ...errorExamples.examples.map(({ code }) => code)];
  return errors.problems
    .filter(({ code }) => !settled.includes(code))
    .map((problem) => ({ problem, example: { code: problem.code, response: getResponse(statuses, problem.status) } }));
}

function getResponse(statuses: ReadonlyMap<string, number>, status: number): string {
  return [...statuses].find(([, other]) => other === status)?.[0] ?? '';
}

/** Returns, by the name of each shared response, the status under which operations document it. */
function getStatuses(document: JsonObject): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const item of Object.values(expectObject(document['paths'], 'paths'))) {
    for (const operation of Object.values(expectObject(item, 'path'))) {
      const responses = isJsonObject(operation) && isJsonObject(operation['responses']) ? operation['responses'] : {};
      for (const [status, response] of Object.entries(responses)) {
        const reference = isJsonObject(response) ? response['$ref'] : undefined;
        if (typeof reference === 'string') found.set(reference.replace('#/components/responses/', ''), Number(status));
      }
    }
  }
  return found;
}

function getBody({ code, body, message, type }: Problem, { loc = ['body'], values = {} }: Example): JsonObject {
  const text = message.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  if (body === 'validation') return { detail: [{ loc: [...loc], msg: text, type: type ?? '' }] };
  if (body === 'detail') return { detail: text };
  if (body === 'cap')
    return { detail: { code, message: text, cap: Number(values['cap']), spent: Number(values['spent']) } };
  return {
    detail: text,
    error: 'rate_limited',
    limit_rps: Number(values['limit']),
    retry_after_seconds: Number(values['seconds']),
  };
}
