import v3Document from '#generated/openapi/v3.json' with { type: 'json' };
import { operations } from '#generated/operations.ts';
import type { BoundRoute } from '#http/handle.ts';
import { createValidators } from '#http/validators.ts';
import type { Caller } from '../v3/caller.ts';
import { v3Handlers } from '../v3/handlers.ts';

/** The routes of V3 under /api/v3, each with its handler and its compiled schemas. */
export function bindV3(): BoundRoute<Caller>[] {
  const validatorsOf = createValidators(v3Document);
  return operations.flatMap((operation) =>
    operation.version === 'v3'
      ? [
          {
            id: operation.id,
            version: operation.version,
            method: operation.method.toUpperCase(),
            path: `/api/v3${operation.path}`,
            operation: v3Handlers[operation.id],
            validators: validatorsOf(operation.method, operation.path),
          },
        ]
      : [],
  );
}
