import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonValue } from '#lib/json.ts';
import type { ScrollDirection } from '#browsers/tab/tab.ts';
import type { Evidence } from './evidence.ts';

/** An action of a script. Texts contain marks in place of inputs, and placeholders in place of secrets. */
export type ScriptAction =
  | { readonly do: 'open'; readonly url: string }
  | { readonly do: 'back' | 'newTab' }
  | { readonly do: 'click' | 'doubleClick' | 'hover' | 'download'; readonly on: Evidence }
  | { readonly do: 'type'; readonly on: Evidence; readonly text: string }
  | { readonly do: 'select'; readonly on: Evidence; readonly options: readonly string[] }
  | { readonly do: 'check'; readonly on: Evidence; readonly checked: boolean }
  | { readonly do: 'press'; readonly on: Evidence | null; readonly key: string }
  | {
      readonly do: 'scroll';
      readonly on: Evidence | null;
      readonly direction: ScrollDirection;
      readonly pages: number;
    }
  | { readonly do: 'upload'; readonly on: Evidence; readonly path: string }
  | { readonly do: 'waitFor'; readonly text: string; readonly state: 'visible' | 'hidden' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'showTab' | 'closeTab'; readonly number: number }
  | { readonly do: 'answerDialog'; readonly accept: boolean; readonly text: string }
  | { readonly do: 'readFile'; readonly path: string; readonly hash: string }
  | { readonly do: 'writeFile'; readonly path: string; readonly text: string }
  | {
      readonly do: 'waitForMail';
      readonly from: string | null;
      readonly subject: string | null;
      readonly hash: string;
    };

/** A step of a script. */
export interface ScriptStep {
  readonly action: ScriptAction;
  /** Hash of the page before the step; null when the agent had not observed the page since the previous step. */
  readonly seen: string | null;
  /**
   * Whether the step enters words that are not part of the task, a mail or a secret. Its replay requires that all
   * pages, files and mails are unchanged.
   */
  readonly isDerived: boolean;
}

/** Recipe that creates the answer of a replay. */
export interface ScriptAnswer {
  /** The recorded output, with `@{{read.1}}` in place of the first text that a replay reads again. */
  readonly output: JsonValue;
  /** Lines that the last page has to show; null when all pages have to be as recorded. */
  readonly lines: readonly string[] | null;
  /** Shapes of the texts that a replay reads again from its last page, with `#` for digits. */
  readonly reads: readonly string[];
  /** Hash of the last page. */
  readonly seen: string;
}

/** The reason why a version of a script replaced the version before. */
export interface ScriptChange {
  readonly version: number;
  readonly reason: string;
}

/** A script: the steps of a successful run of a task, and the recipe for its answer. */
export interface Script {
  readonly format: 1;
  /** Number of the version, from 1. */
  readonly version: number;
  /** The task with its inputs as `@{{1}}`. */
  readonly task: string;
  readonly steps: readonly ScriptStep[];
  readonly answer: ScriptAnswer;
  /** The reasons for the latest versions, oldest first; none for the first version. */
  readonly changes: readonly ScriptChange[];
}

/** Limits of a script. A script file is untrusted input, because callers can upload files to the workspace. */
export const scriptBounds = { bytes: 262_144, steps: 500, depth: 24, text: 20_000 } as const;

/** Returns the text of a script file; null for a script that exceeds the limits. */
export function formatScript(script: Script): string | null {
  const text = `${JSON.stringify(script, null, 2)}\n`;
  return 'fault' in parseScript(text) ? null : text;
}

/** Result of parsing a script file: the script, or what is wrong with it. */
export type ParsedScript = { readonly script: Script } | { readonly fault: string };

/**
 * Parses and validates a script file. Returns a fault for a text that is no script or exceeds {@link scriptBounds}.
 */
export function parseScript(text: string): ParsedScript {
  const bytes = Buffer.byteLength(text);
  if (bytes > scriptBounds.bytes) return { fault: `it has ${bytes} bytes, expected at most ${scriptBounds.bytes}` };
  const value = parseShallow(text);
  if (value === undefined) return { fault: `it is no JSON of at most ${scriptBounds.depth} levels` };
  const validate = getValidator();
  if (validate(value)) return { script: value };
  const [error] = validate.errors ?? [];
  return { fault: `${error?.instancePath ?? ''} ${error?.message ?? 'is invalid'}`.trim() };
}

/** Parses JSON; undefined if it is invalid or nested too deeply. */
function parseShallow(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return getDepth(value) > scriptBounds.depth ? undefined : value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the number of levels, without recursion. Counting stops one level beyond the limit. */
function getDepth(value: unknown): number {
  let depth = 0;
  for (let level = [value]; level.length > 0 && depth <= scriptBounds.depth; depth += 1)
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  return depth;
}

let validator: ValidateFunction<Script> | null = null;

function getValidator(): ValidateFunction<Script> {
  validator ??= new Ajv2020({ allowUnionTypes: true }).compile<Script>(schema);
  return validator;
}

const textSchema = { type: 'string', maxLength: scriptBounds.text };
const short = { type: 'string', maxLength: 2_000 };
const maybe = { type: ['string', 'null'], maxLength: 2_000 };
const hash = { type: 'string', pattern: '^[0-9a-f]{16}$' };

function closed(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const evidence = closed({
  role: { type: 'string', maxLength: 40 },
  name: short,
  page: short,
  kind: { type: 'string', maxLength: 100 },
  target: maybe,
  within: { type: 'array', maxItems: 4, items: short },
  under: maybe,
});
const maybeEvidence = { anyOf: [evidence, { type: 'null' }] };
const version = { type: 'integer', minimum: 1, maximum: 1_000_000 };
const number = { type: 'integer', minimum: 1, maximum: 100 };

/** Members of each kind of action. */
const actions: readonly (readonly [kinds: readonly string[], members: Readonly<Record<string, object>>])[] = [
  [['open'], { url: short }],
  [['back', 'newTab'], {}],
  [['click', 'doubleClick', 'hover', 'download'], { on: evidence }],
  [['type'], { on: evidence, text: textSchema }],
  [['select'], { on: evidence, options: { type: 'array', maxItems: 100, items: short } }],
  [['check'], { on: evidence, checked: { type: 'boolean' } }],
  [['press'], { on: maybeEvidence, key: { type: 'string', maxLength: 40 } }],
  [
    ['scroll'],
    {
      on: maybeEvidence,
      direction: { enum: ['up', 'down', 'left', 'right'] },
      pages: { type: 'number', minimum: 0, maximum: 100 },
    },
  ],
  [['upload'], { on: evidence, path: short }],
  [['waitFor'], { text: short, state: { enum: ['visible', 'hidden'] } }],
  [['wait'], { ms: { type: 'number', minimum: 0, maximum: 60_000 } }],
  [['showTab', 'closeTab'], { number: number }],
  [['answerDialog'], { accept: { type: 'boolean' }, text: short }],
  [['readFile'], { path: short, hash: hash }],
  [['writeFile'], { path: short, text: textSchema }],
  [['waitForMail'], { from: maybe, subject: maybe, hash: hash }],
];

const schema = closed({
  format: { const: 1 },
  version: version,
  task: textSchema,
  steps: {
    type: 'array',
    minItems: 1,
    maxItems: scriptBounds.steps,
    items: closed({
      action: { anyOf: actions.map(([kinds, members]) => closed({ do: { enum: kinds }, ...members })) },
      seen: { anyOf: [hash, { type: 'null' }] },
      isDerived: { type: 'boolean' },
    }),
  },
  answer: closed({
    output: {},
    lines: { anyOf: [{ type: 'array', maxItems: 200, items: short }, { type: 'null' }] },
    reads: { type: 'array', maxItems: 50, items: short },
    seen: hash,
  }),
  changes: { type: 'array', maxItems: 200, items: closed({ version: version, reason: short }) },
});
