import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadCommands } from './program.ts';

const here = new URL('./program.ts', import.meta.url).href;

/** Loads a command in a new process. Returns the URLs of all modules that were loaded before the command can run. */
async function loadedFor(name: string): Promise<string[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    const { loadCommands } = await import(${JSON.stringify(here)});
    await loadCommands(${JSON.stringify(name)});
    console.log(JSON.stringify(urls));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout) as string[];
}

describe('the commands of svc', () => {
  it('are loaded one by one by name', async () => {
    const all = await loadCommands(undefined);
    expect(all.length).toBeGreaterThan(10);
    for (const name of all.map((command) => command.name()))
      expect((await loadCommands(name)).map((command) => command.name())).toEqual([name]);
  });

  it('are all loaded for an unknown name', async () => {
    expect(await loadCommands('chek')).toHaveLength((await loadCommands(undefined)).length);
  });

  it('load their implementation only when they run', async () => {
    const works = /\/(conformance|node_modules\/(?!commander|yaml)|src\/(browsers\/index|api\/create-backend|mock))/;
    for (const name of ['check', 'serve', 'mock'])
      expect({ name, loads: (await loadedFor(name)).filter((url) => works.test(url)) }).toEqual({ name, loads: [] });
  });
});
