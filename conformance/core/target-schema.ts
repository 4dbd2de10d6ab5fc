import type { JsonObject } from './json.ts';
import { type Generation, generations } from './target.ts';

const operation = { $ref: '#/$defs/Operation' } as const;

/** Generation and id of a documented operation. */
export interface NamedOperation {
  readonly version: string;
  readonly id: string;
}

/**
 * Returns a schema member for each operation of a generation, named by the id of the operation. The schema therefore
 * refuses a misspelled id like any unknown member.
 */
function createIdSchema(
  generation: Generation,
  operations: readonly NamedOperation[],
): Record<string, typeof operation> {
  return Object.fromEntries(
    operations.filter(({ version }) => version === generation).map(({ id }) => [id, operation]),
  );
}

/**
 * Returns the JSON Schema of `svc-target.yaml`, with a member for every documented operation. Every member is optional;
 * an unknown member is refused, so that a typo is reported. `generated/validators/target.ts` is generated from it.
 */
export function targetSchema(operations: readonly NamedOperation[]): JsonObject {
  return {
    ...members,
    properties: {
      ...members.properties,
      operations: {
        type: ['object', 'null'],
        additionalProperties: false,
        properties: Object.fromEntries(
          generations.map((generation) => [
            generation,
            { type: 'object', additionalProperties: false, properties: createIdSchema(generation, operations) },
          ]),
        ),
      },
    },
  };
}

const members = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Target of a conformance run',
  type: 'object',
  additionalProperties: false,
  properties: {
    keyHeader: { type: 'string', pattern: "^[\\w!#$%&'*+.^`|~-]+$" },
    keyPrefix: { type: ['string', 'null'], minLength: 1 },
    stateless: { type: 'boolean' },
    v2: {
      type: ['object', 'null'],
      additionalProperties: false,
      properties: {
        base: { type: 'string', pattern: '^(?:/|https?://)' },
        idIn: { type: 'string', minLength: 1 },
        getTask: { $ref: '#/$defs/Operation' },
        taskStatus: { $ref: '#/$defs/Operation' },
        statusIn: { type: 'string', minLength: 1 },
        states: { $ref: '#/$defs/States' },
        output: { type: ['string', 'null'], minLength: 1 },
        cost: { type: ['string', 'null'], minLength: 1 },
        stopTask: { $ref: '#/$defs/Operation' },
        list: { $ref: '#/$defs/List' },
      },
    },
    v3: {
      type: ['object', 'null'],
      additionalProperties: false,
      properties: {
        base: { type: 'string', pattern: '^(?:/|https?://)' },
        idIn: { type: 'string', minLength: 1 },
        followUp: { $ref: '#/$defs/FollowUp' },
        stop: { $ref: '#/$defs/Operation' },
        list: { $ref: '#/$defs/List' },
        delete: { $ref: '#/$defs/Operation' },
        description: { type: ['string', 'null'] },
        recordings: { type: 'boolean' },
        unrouted: { type: 'array', items: { type: 'string', minLength: 1 } },
        existing: {
          type: 'object',
          additionalProperties: false,
          properties: { profileId: { type: ['string', 'null'] }, workspaceId: { type: ['string', 'null'] } },
        },
        members: {
          type: 'object',
          additionalProperties: false,
          properties: {
            maxCostUsd: { type: ['string', 'null'] },
            proxyCountryCode: { type: ['string', 'null'] },
            inbox: { type: ['string', 'null'] },
            profileId: { type: ['string', 'null'] },
            workspaceId: { type: ['string', 'null'] },
          },
        },
      },
    },
    v4: {
      type: ['object', 'null'],
      additionalProperties: false,
      properties: {
        base: { type: 'string', pattern: '^(?:/|https?://)' },
        getRun: { $ref: '#/$defs/Operation' },
        runStatus: { $ref: '#/$defs/Operation' },
        statusIn: { type: 'string', minLength: 1 },
        states: { $ref: '#/$defs/States' },
        result: { type: 'string', minLength: 1 },
        cost: { type: ['string', 'null'], minLength: 1 },
        events: { $ref: '#/$defs/Events' },
        cancelRun: { $ref: '#/$defs/Operation' },
        listRuns: { $ref: '#/$defs/List' },
        maxCostUsd: { type: ['string', 'null'] },
        browsers: {
          type: ['object', 'null'],
          additionalProperties: false,
          properties: {
            get: { $ref: '#/$defs/Operation' },
            list: { $ref: '#/$defs/List' },
            statusIn: { type: ['string', 'null'], minLength: 1 },
            ended: { type: 'array', items: { type: 'string' } },
            costs: { type: 'array', items: { type: 'string', minLength: 1 } },
            drivable: { type: 'boolean' },
          },
        },
      },
    },
    tasks: {
      type: 'object',
      additionalProperties: false,
      properties: {
        succeed: { type: 'string', minLength: 1 },
        fail: { type: ['string', 'null'] },
        slow: { type: ['string', 'null'] },
        exceedCeiling: { type: ['string', 'null'] },
        structured: { type: ['string', 'null'] },
        code: { type: ['string', 'null'] },
        readFile: { type: ['string', 'null'], pattern: '\\{file\\}' },
        country: { type: ['string', 'null'], pattern: '\\{url\\}' },
        writeFile: { type: ['string', 'null'], pattern: '\\{text\\}.*\\{file\\}|\\{file\\}.*\\{text\\}' },
      },
    },
    ownKeys: { type: 'array', items: { type: 'string' } },
    control: { type: ['string', 'null'], format: 'uri' },
    providerStub: {
      type: ['object', 'null'],
      required: ['listen'],
      additionalProperties: false,
      properties: {
        listen: { type: 'string', pattern: '^\\S+:\\d+$' },
        task: { type: 'string', pattern: '\\{mark\\}' },
        ceilingUsd: { type: 'string', pattern: '^\\d+(\\.\\d+)?$' },
        reply: {
          type: ['object', 'null'],
          required: ['tool', 'input'],
          additionalProperties: false,
          properties: { tool: { type: 'string', minLength: 1 }, input: { type: 'object' } },
        },
        ownKeyEndings: { type: 'object', additionalProperties: { type: 'string', minLength: 4 } },
        models: { type: 'object', additionalProperties: { type: 'string', minLength: 1 } },
      },
    },
    checkers: {
      type: 'object',
      additionalProperties: false,
      properties: {
        country: { type: ['string', 'null'], format: 'uri', pattern: '^https?://' },
        countryIn: { type: ['string', 'null'], minLength: 1 },
        addressIn: { type: ['string', 'null'], minLength: 1 },
      },
    },
    polling: {
      type: 'object',
      additionalProperties: false,
      properties: {
        intervalMs: { type: 'integer', minimum: 1 },
        startDeadlineMs: { type: 'integer', minimum: 1 },
        taskDeadlineMs: { type: 'integer', minimum: 1 },
        settleDeadlineMs: { type: 'integer', minimum: 1 },
      },
    },
    prices: {
      type: 'object',
      additionalProperties: false,
      properties: {
        taskV2: { $ref: '#/$defs/Price' },
        taskV3: { $ref: '#/$defs/Price' },
        taskV4: { $ref: '#/$defs/Price' },
        browserHour: { $ref: '#/$defs/Price' },
        proxyGigabyte: { $ref: '#/$defs/Price' },
      },
    },
    limits: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ceilingUsd: { type: 'string', pattern: '^\\d+(\\.\\d+)?$' },
        inactivityMs: { type: ['integer', 'null'], minimum: 1 },
        sessionsAtOnce: { type: 'integer', minimum: 1 },
      },
    },
  },
  $defs: {
    Price: { type: ['string', 'null'], pattern: '^\\d+(\\.\\d+)?$' },
    Operation: {
      type: ['object', 'null'],
      required: ['method', 'path'],
      additionalProperties: false,
      properties: { method: { type: 'string' }, path: { type: 'string', pattern: '^/' }, body: { type: 'object' } },
    },
    List: {
      type: ['object', 'null'],
      required: ['method', 'path', 'items'],
      additionalProperties: false,
      properties: {
        method: { type: 'string' },
        path: { type: 'string', pattern: '^/' },
        body: { type: 'object' },
        items: { type: 'string' },
      },
    },
    States: {
      type: 'object',
      additionalProperties: false,
      properties: {
        pending: { type: 'array', items: { type: 'string' } },
        completed: { type: 'array', items: { type: 'string' } },
        ended: { type: 'array', items: { type: 'string' } },
      },
    },
    Events: {
      type: ['object', 'null'],
      required: ['method', 'path', 'items', 'cursor', 'nextCursor', 'id'],
      additionalProperties: false,
      properties: {
        method: { type: 'string' },
        path: { type: 'string', pattern: '^/' },
        body: { type: 'object' },
        items: { type: 'string', minLength: 1 },
        cursor: { type: ['string', 'null'], minLength: 1 },
        nextCursor: { type: ['string', 'null'], minLength: 1 },
        id: { type: ['string', 'null'], minLength: 1 },
      },
    },
    FollowUp: {
      type: ['object', 'null'],
      required: ['method', 'path', 'idMember'],
      additionalProperties: false,
      properties: {
        method: { type: 'string' },
        path: { type: 'string', pattern: '^/' },
        body: { type: 'object' },
        idMember: { type: ['string', 'null'] },
      },
    },
  },
};
