import type { Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { findExamples } from '../../src/cli/examples.ts';
import { createProgram } from '../../src/cli/program.ts';
import { listCommands } from './list-commands.ts';
import { readRefusal } from './run-svc.ts';

/**
 * This file tests the conventions of every command: help with examples, and a next step in each message about wrong
 * usage.
 */

const commands = listCommands(await createProgram());
const words = (path: string): string[] => path.split(' ').slice(1);
// oxlint-disable-next-line no-control-regex -- what begins a colour
const escape = /\u001B/;

/** Returns the arguments that set a flag, with the value `x` if the flag requires a value. */
const createFlag = ({ long, required }: Option): string[] => [String(long), ...(required ? ['x'] : [])];

/**
 * Returns the words of a command in an example. Removes variables before the command, and a pipe, a redirection or a
 * remark after it.
 */
const splitExample = (line: string): string[] =>
  line
    .replace(/^(\w+=\S+ )+/, '')
    .replace(/ ([|>] .*| {2,}\S.*)$/, '')
    .trim()
    .split(' ');

describe.each(commands)('$path', ({ path, command }) => {
  it('shows its own examples behind --help', async () => {
    const { code, text } = await readRefusal([...words(path), '--help']);
    expect(code).toBe(0);
    expect(text).toContain(`Usage: ${path.replace('svc ', 'svc ')}`);
    expect(text).toMatch(/\nExamples:\n {2}\S/);
    expect(text).not.toMatch(escape);
  });

  it.each(findExamples(path))('understands its example: %s', (line) => {
    const all = splitExample(line);
    expect(all.slice(0, path.split(' ').length).join(' ')).toBe(path);
    const { operands, unknown } = command.parseOptions(all.slice(path.split(' ').length));
    expect(unknown).toEqual([]);
    const { registeredArguments } = command;
    expect(operands.length).toBeGreaterThanOrEqual(registeredArguments.filter(({ required }) => required).length);
    if (!registeredArguments.some(({ variadic }) => variadic))
      expect(operands.length).toBeLessThanOrEqual(registeredArguments.length);
  });

  it('refuses an unknown flag and refers to the help', async () => {
    const given = command.options.filter(({ mandatory }) => mandatory).flatMap((option) => createFlag(option));
    const { code, text } = await readRefusal([...words(path), ...given, '--no-such-flag']);
    expect(code).not.toBe(0);
    expect(text).toContain("unknown option '--no-such-flag'");
    expect(text).toContain(`(see ${path} --help)`);
  });

  const required = command.registeredArguments.filter((argument) => argument.required);
  it.each(required.slice(0, 1))('names a missing argument', async (first) => {
    const { code, text } = await readRefusal(words(path));
    expect(code).not.toBe(0);
    expect(text).toContain(`missing required argument '${first.name()}'`);
    expect(text).toContain(`(see ${path} --help)`);
  });

  const choices = command.options.filter(({ argChoices }) => argChoices !== undefined);
  it.each(choices.map(({ long, argChoices }) => ({ long, argChoices })))(
    'lists the choices of $long',
    async ({ long, argChoices }) => {
      const { text } = await readRefusal([...words(path), ...required.map(() => 'x'), `${long}=no-such-word`]);
      expect(text).toContain(`Allowed choices are ${argChoices?.join(', ')}`);
    },
  );
});

describe('svc', () => {
  it('shows its own examples behind --help', async () => {
    const program = await createProgram();
    let text = '';
    program.configureOutput({ writeOut: (chunk) => void (text += chunk) });
    program.outputHelp();
    expect(text).toContain('Examples:');
  });

  it('suggests the nearest command and flag for a misspelt one', async () => {
    expect((await readRefusal(['chek'])).text).toContain('Did you mean check?');
    expect((await readRefusal(['check', 'u', '--pofile', 'full'])).text).toContain('Did you mean --profile?');
  });
});
