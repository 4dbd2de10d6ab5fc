import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Script, type Version, type World, documented, startWorld } from './world.ts';

/**
 * Runs the scripts of a generation one after the other against one backend, and expects that in the end every operation
 * of the document has answered with a success. An operation that is added needs a few lines in the script of its resource.
 */
export function describeClient(version: Version, scripts: Readonly<Record<string, Script>>): void {
  describe(`the client generated from ${version}`, () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld(version);
    });
    afterAll(() => world.stop());

    test.each(Object.keys(scripts))('uses %s', async (name) => {
      await scripts[name]?.(world);
    });

    test('has used every operation of the document', () => {
      expect(world.answered()).toEqual(documented(version));
    });

    // A link may lead to what is not there yet (the log of a task that has not begun), but not always.
    test('was led somewhere by every link that it followed', () => {
      const dead = [...world.followed].filter(([, statuses]) => !statuses.some((status) => status < 300));
      expect(dead).toEqual([]);
      expect(world.followed.size).toBeGreaterThan(documented(version).length / 2);
    });
  });
}
