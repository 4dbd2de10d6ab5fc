import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Version } from '../../generators/start-operations.ts';
import { type Library, libraries } from './libraries.ts';
import { type Script, type World, documented, startWorld } from './world.ts';

/**
 * Runs the scripts of a generation with each client library, each against its own backend. Expects at the end that
 * every operation of the document has succeeded. A new operation needs a few lines in the script of its resource.
 */
export function describeClient(version: Version, scripts: Readonly<Record<string, Script>>): void {
  describe.each(Object.entries(libraries))(`the client of %s generated from ${version}`, (_name, prepare) => {
    let library: Library;
    let world: World;
    beforeAll(async () => {
      library = await prepare(version);
      world = await startWorld(version, library);
    });
    afterAll(async () => {
      await world.stop();
      library.remove();
    });

    test.each(Object.keys(scripts))('uses %s', async (name) => {
      await scripts[name]?.(world);
    });

    test('has used every operation of the document', () => {
      expect(world.answered()).toEqual(documented(version));
    });

    test('was answered only with statuses of the document', () => {
      expect(world.undocumented).toEqual([]);
    });

    // A link may sometimes lead to a missing record (the log of a task before its start), but not always.
    test('was led somewhere by every link that it followed', () => {
      const dead = [...world.followed].filter(([, statuses]) => !statuses.some((status) => status < 300));
      expect(dead).toEqual([]);
      expect(world.followed.size).toBeGreaterThan(documented(version).length / 2);
    });
  });
}
