import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Task } from './read-tasks.ts';

/** A task as its file has it: what it leaves out has a default. */
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

/** The content of a file of tasks; throws for what it should not hold, so that a misspelt member is not simply left out. */
export function checkTaskFile(
  name: string,
  content: unknown,
): { readonly site: string; readonly tasks: readonly TaskRow[] } {
  if (validate(content)) return content;
  throw new Error(`${name}: ${JSON.stringify(validate.errors)}`);
}
