import type { JsonObject, JsonValue } from '#domain/json.ts';
import { shortened } from '../planner/shortened.ts';

type Words = (given: (name: string) => string) => string;

/** What was done, by the name of the tool; `given` is an argument in quotation marks, or nothing where there is none. */
const sentences: Readonly<Record<string, Words>> = {
  navigate: (given) => `Opened ${given('url')}`,
  back: () => 'Went back',
  click: (given) => `Clicked ${target(given)}`,
  double_click: (given) => `Double-clicked ${target(given)}`,
  hover: (given) => `Pointed at ${target(given)}`,
  type: (given) => `Typed ${given('text')} into ${target(given)}`,
  select: (given) => `Chose ${given('option') || given('value')} in ${target(given)}`,
  check: (given) => `Ticked ${target(given)}`,
  key: (given) => `Pressed ${given('key')}`,
  scroll: (given) => joined('Scrolled', given('direction')),
  wait: (given) => joined('Waited', given('text') ? `for ${given('text')}` : given('ms') || given('seconds')),
  tabs: (given) => joined('Looked after the tabs:', given('action')),
  extract: (given) => `Read ${target(given)}`,
  screenshot: () => 'Took a picture of the page',
  upload: (given) => `Put the file ${given('path') || given('file')} into ${target(given)}`,
  download: (given) => `Downloaded from ${target(given)}`,
  list_files: () => 'Listed the files',
  read_file: (given) => `Read the file ${given('path')}`,
  write_file: (given) => `Saved the file ${given('path')}`,
  run_code: () => 'Ran a program in the page',
  read_mail: () => 'Looked into the mailbox',
  wait_for_mail: () => 'Waited for mail',
  finish: () => 'Finished',
};

/**
 * One line in plain words on what a tool did, such as `Clicked “Add to basket”`. Arguments are shown as they were given: a
 * secret as its placeholder. `element` is how people call what `ref` points to.
 */
export function describeStep(tool: string, input: JsonObject): string {
  const words = Object.hasOwn(sentences, tool) ? sentences[tool] : undefined;
  if (words === undefined) return `Used ${tool.replaceAll('_', ' ')}`;
  return words((name) => quoted(input[name]));
}

function target(given: (name: string) => string): string {
  return given('element') || given('name') || given('field') || given('ref') || 'the page';
}

function joined(start: string, rest: string): string {
  return rest === '' ? start : `${start} ${rest}`;
}

function quoted(value: JsonValue | undefined): string {
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  return typeof value === 'string' && value !== '' ? `“${shortened(value)}”` : '';
}
