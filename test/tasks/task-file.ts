import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject, JsonValue } from '#lib/json.ts';
import type { SiteName } from '../../fixtures/sites/index.ts';

/** Expected state of a site and expected output. */
export interface Expected {
  /** Members that the state of the site must have. Other members are ignored; lists must be equal in full. */
  readonly state?: JsonObject;
  /** Texts that the answer contains. */
  readonly answer?: readonly string[];
  /** The output schema of the task, and the expected output. */
  readonly output?: { readonly schema: JsonObject; readonly value: JsonValue };
}

/** A task with the wording of a user (fixtures/tasks/README.md describes the members). */
export interface Task {
  readonly id: string;
  readonly site: SiteName;
  readonly kind: 'plain' | 'free';
  /** Text of the task, with `{<site>}`, for example `{shop}`, in place of the site's address. */
  readonly wording: string;
  readonly possible: boolean;
  readonly mailbox: boolean;
  /** Texts of the files in the workspace, by their names. */
  readonly files: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly expect: Expected;
}

/** A row of a task file; omitted members have defaults. */
export type TaskRow = Pick<Task, 'id' | 'kind' | 'wording' | 'expect'> &
  Partial<Pick<Task, 'possible' | 'mailbox' | 'files' | 'secrets'>>;

const text = { type: 'string', minLength: 1 };
const texts = { type: 'object', additionalProperties: { type: 'string' } };
const closed = { type: 'object', additionalProperties: false };

const validate = new Ajv2020().compile<{ site: string; tasks: TaskRow[] }>({
  ...closed,
  required: ['site', 'tasks'],
  properties: {
    site: text,
    tasks: {
      type: 'array',
      items: {
        ...closed,
        required: ['id', 'kind', 'wording', 'expect'],
        properties: {
          id: text,
          kind: { enum: ['plain', 'free'] },
          wording: text,
          possible: { type: 'boolean' },
          mailbox: { type: 'boolean' },
          files: texts,
          secrets: texts,
          expect: {
            ...closed,
            minProperties: 1,
            properties: {
              state: { type: 'object' },
              answer: { type: 'array', items: text, minItems: 1 },
              output: {
                ...closed,
                required: ['schema', 'value'],
                properties: { schema: { type: 'object' }, value: {} },
              },
            },
          },
        },
      },
    },
  },
});

/**
 * Checks the content of a task file. Throws for an invalid content and for unknown members, so that a misspelt member
 * is not ignored.
 */
export function checkTaskFile(
  name: string,
  content: unknown,
): { readonly site: string; readonly tasks: readonly TaskRow[] } {
  if (validate(content)) return content;
  throw new Error(`${name}: ${JSON.stringify(validate.errors)}`);
}
