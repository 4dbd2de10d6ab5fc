import v2Document from '#generated/openapi/v2.json' with { type: 'json' };
import v3Document from '#generated/openapi/v3.json' with { type: 'json' };
import v4Document from '#generated/openapi/v4.json' with { type: 'json' };
import { operations } from '#generated/operations.ts';
import type { JsonObject } from '#lib/json.ts';
import type { BoundRoute } from '../http/handle.ts';
import type { AnyOperation } from '#operations/operation.ts';
import { createValidators } from '../http/validators.ts';
import type { RequestContext } from '#operations/common/request-context.ts';
import { v2Handlers } from '#operations/v2/handlers.ts';
import { v3Handlers } from '#operations/v3/handlers.ts';
import { v4Handlers } from '#operations/v4/handlers.ts';

type Version = (typeof operations)[number]['version'];

/** An API version: its document and its operations. */
interface Generation {
  readonly document: JsonObject;
  readonly handlers: Readonly<Record<string, AnyOperation<RequestContext>>>;
}

const generations: Record<Version, Generation> = {
  v2: { document: v2Document, handlers: v2Handlers },
  v3: { document: v3Document, handlers: v3Handlers },
  v4: { document: v4Document, handlers: v4Handlers },
};

function bind(version: string, { document, handlers }: Generation): BoundRoute<RequestContext>[] {
  const getValidators = createValidators(document, { operationsJudge: true });
  return operations
    .filter((operation) => operation.version === version)
    .map((operation) => {
      const handler = handlers[operation.id];
      if (handler === undefined) throw new Error(`no handler for ${version} ${operation.id}`);
      return {
        id: operation.id,
        version: operation.version,
        method: operation.method.toUpperCase(),
        path: `/api/${version}${operation.path}`,
        operation: handler,
        validators: getValidators(operation.method, operation.path),
      };
    });
}

/**
 * All routes below /api/v2, /api/v3 and /api/v4, each with its operation and validators. They depend only on the
 * documents, so all services in one process share the compiled schemas.
 */
export const routes: readonly BoundRoute<RequestContext>[] = Object.entries(generations).flatMap(
  ([version, generation]) => bind(version, generation),
);
