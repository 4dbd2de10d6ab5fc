/** Sets of legal choices on points about which the contract is silent. The suite must accept each set. */
import { createHash, randomBytes } from 'node:crypto';

/** A dialect: one choice for each decision that the contract leaves to the server. */
export interface Dialect {
  readonly name: DialectName;
  /** Returns a new UUID. */
  readonly id: () => string;
  /** Formats milliseconds since 1970 as a date-time. */
  readonly time: (ms: number) => string;
  /** Formats milliseconds since 1970 as a date-time of V2, which may have no offset. */
  readonly timeV2: (ms: number) => string;
  /** Formats millionths of a dollar or of a megabyte as a decimal string. */
  readonly decimal: (millionths: number) => string;
  /** Whether responses contain members that no document describes. */
  readonly extraMembers: boolean;
  /** Whether responses omit optional members whose value is the default. */
  readonly leavesOutDefaults: boolean;
  /** Whether the server accepts models that only the companion lists. */
  readonly newerModels: boolean;
  /** Whether the server refuses an empty `modelParams` for models without reasoning controls. */
  readonly refusesEmptyParams: boolean;
  /** Whether the server refuses unknown members of V2 and V3 bodies. */
  readonly strictBodies: boolean;
  /** HTTP status of the response to a stop of a resource that has already stopped. */
  readonly secondStop: 200 | 409;
  /** HTTP status of the response that creates a V4 run. */
  readonly runCreated: 200 | 201;
  /** HTTP status of the response to a request whose key is missing or wrong. */
  readonly unauthorized: 401 | 403;
  /** Whether responses show the state `idle` between `created` and `running`. */
  readonly showsFirstIdle: boolean;
  /** Whether V3 responses show the requested model alias in place of the resolved name. */
  readonly echoesAlias: boolean;
  /** Returns the `detail` of an error response, from its status and text. */
  readonly words: (status: number, text: string) => unknown;
}

/** Name of a dialect. */
export type DialectName = 'plain' | 'wordy' | 'terse';

/** All dialects by name. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  plain: {
    name: 'plain',
    id: () => uuid(4),
    time: (ms) => new Date(ms).toISOString(),
    timeV2: (ms) => new Date(ms).toISOString().slice(0, -1),
    decimal: (millionths) => String(millionths / 1e6),
    extraMembers: false,
    leavesOutDefaults: false,
    newerModels: false,
    refusesEmptyParams: false,
    strictBodies: false,
    secondStop: 200,
    runCreated: 200,
    unauthorized: 401,
    showsFirstIdle: false,
    echoesAlias: false,
    words: (_status, text) => text,
  },
  wordy: {
    name: 'wordy',
    id: () => uuid(7),
    time: (ms) => new Date(ms).toISOString().replace('Z', '417+00:00'),
    timeV2: (ms) => new Date(ms).toISOString().replace('Z', '+00:00'),
    decimal: (millionths) => (millionths / 1e6).toFixed(6),
    extraMembers: true,
    leavesOutDefaults: false,
    newerModels: true,
    refusesEmptyParams: true,
    strictBodies: false,
    secondStop: 409,
    runCreated: 201,
    unauthorized: 403,
    showsFirstIdle: false,
    echoesAlias: true,
    words: (status, text) => ({ code: `E${status}`, message: text }),
  },
  terse: {
    name: 'terse',
    id: () => uuid(1),
    time: (ms) => new Date(ms).toISOString().replace('Z', '+00:00'),
    timeV2: (ms) => new Date(ms).toISOString(),
    decimal: (millionths) => (millionths / 1e6).toFixed(6).replace(/^0(?=\.)/, ''),
    extraMembers: false,
    leavesOutDefaults: true,
    newerModels: false,
    refusesEmptyParams: false,
    strictBodies: true,
    secondStop: 200,
    runCreated: 200,
    unauthorized: 401,
    showsFirstIdle: true,
    echoesAlias: false,
    words: (_status, text) => text.toUpperCase(),
  },
};

let counter = 0;

function uuid(version: number): string {
  counter += 1;
  const hex = createHash('sha256').update(randomBytes(16)).update(String(counter)).digest('hex');
  const head = version === 7 ? Date.now().toString(16).padStart(12, '0') : hex.slice(0, 12);
  return [
    head.slice(0, 8),
    head.slice(8),
    `${version}${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
