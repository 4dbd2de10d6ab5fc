import { operations } from '#generated/operations.ts';
import type { Route } from '#contract/http-messages.ts';
import { type ResponseValidators, createValidators, noResponses } from '#api/http/validators.ts';
import { loadDocuments } from '../documents.ts';

/** An operation as the log knows it. */
export interface LogRoute extends Route {
  readonly summary: string;
  readonly source: string;
  /** What its answers have to look like, by status. */
  responses(): ResponseValidators;
}

/** Where the schemas of answers come from. */
export type ResponsesOf = (operation: Pick<Route, 'version' | 'id'>) => ResponseValidators;

/** All operations of the three generations. */
export function logRoutes(responsesOf: ResponsesOf = compiledResponses()): readonly LogRoute[] {
  return operations.map(({ id, version, method, path, summary, source }) => ({
    id,
    version,
    method: method.toUpperCase(),
    path: `/api/${version}${path}`,
    summary,
    source,
    responses: () => responsesOf({ version, id }),
  }));
}

/** Compiles what is asked for, when it is first asked for. */
function compiledResponses(): ResponsesOf {
  const validators = new Map<string, ReturnType<typeof createValidators>>();
  const compiled = new Map<string, ResponseValidators>();
  const compile = ({ version, id }: Pick<Route, 'version' | 'id'>): ResponseValidators => {
    const validatorsOf = validators.get(version) ?? createValidators(loadDocuments()[version]);
    validators.set(version, validatorsOf);
    const operation = operations.find((one) => one.version === version && one.id === id);
    return operation === undefined ? noResponses : validatorsOf(operation.method, operation.path).responses;
  };
  return (operation) => {
    const name = `${operation.version} ${operation.id}`;
    const responses = compiled.get(name) ?? compile(operation);
    compiled.set(name, responses);
    return responses;
  };
}
