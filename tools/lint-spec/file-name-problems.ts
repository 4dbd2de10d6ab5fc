import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A schema file is named like its schema, in Pascal case: the bundler makes the component's name of it. */
export function fileNameProblems(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => basename(dirname(file)) === 'schemas')
    .filter((file) => !/^([A-Z]+[a-z0-9]*)+\.yaml$/.test(basename(file)))
    .map(
      (file) =>
        `${join(root, file)}: expected a name in Pascal case that ends in .yaml, for example CreateSession.yaml`,
    );
}
