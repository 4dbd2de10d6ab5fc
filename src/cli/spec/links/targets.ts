import type { JsonObject, JsonValue } from '#lib/json.ts';
import { operationsOf } from '../operations-of.ts';
import { follow } from './follow.ts';

/** An operation as the source or the target of a link. */
export interface Target {
  readonly id: string;
  /** Lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
  readonly parameters: readonly LinkedParameter[];
}

/** A parameter that a link can fill. */
export interface LinkedParameter {
  readonly name: string;
  /** `path`, `query` or `header`. */
  readonly place: string;
  readonly required: boolean;
}

/** Every operation of a document by its operationId, in document order. */
export function targetsOf(document: JsonObject): ReadonlyMap<string, Target> {
  return new Map(
    operationsOf(document).map(({ method, path, operation }) => {
      const id = textOf(operation['operationId']);
      const listed = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
      const parameters = listed.map((entry) => parameterOf(follow(document, entry)));
      return [id, { id, method, path, operation, parameters }];
    }),
  );
}

function parameterOf(parameter: JsonObject): LinkedParameter {
  return {
    name: textOf(parameter['name']),
    place: textOf(parameter['in']),
    required: parameter['required'] === true,
  };
}

/** The value when it is text, else nothing. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
