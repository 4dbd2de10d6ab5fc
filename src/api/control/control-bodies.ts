import { type Refusal, refusalStatuses } from './refusal-switch.ts';

/** What is to fail from now on; what is absent stays as it is. */
export interface FaultBody {
  readonly sandboxStart?: 'fail' | null;
  readonly refuse?: Refusal | null;
  /** Id of a session whose sandbox ends beyond repair. */
  readonly crashSession?: string;
}

/** JSON Schema of what moves the clock: by at most a year, back as well. */
export const clockBody = {
  type: 'object',
  required: ['advanceMs'],
  additionalProperties: false,
  properties: { advanceMs: { type: 'integer', minimum: -31_536_000_000, maximum: 31_536_000_000 } },
} as const;

/** JSON Schema of a {@link FaultBody}. */
export const faultBody = {
  type: 'object',
  additionalProperties: false,
  properties: {
    sandboxStart: { enum: ['fail', null] },
    refuse: {
      type: ['object', 'null'],
      required: ['status', 'times'],
      additionalProperties: false,
      properties: {
        status: { enum: refusalStatuses },
        times: { type: 'integer', minimum: 1, maximum: 1000 },
        operation: { type: ['string', 'null'], minLength: 1, maxLength: 100 },
      },
    },
    crashSession: { type: 'string', format: 'uuid' },
  },
} as const;

/** Which of the requests that were seen. */
export interface PageQuery {
  /** Number of the last one that is known. */
  readonly after: number;
  readonly limit: number;
}

/** 1,000 requests are some 100 kB. */
export const pageQuery = {
  type: 'object',
  properties: {
    after: { type: 'integer', minimum: 0, default: 0 },
    limit: { type: 'integer', minimum: 1, maximum: 1000, default: 1000 },
  },
} as const;
