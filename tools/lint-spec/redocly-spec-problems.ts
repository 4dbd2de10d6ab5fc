import { redoclyProblems } from '../../src/cli/spec/redocly-problems.ts';
import { versions } from '../generate/bundle.ts';

/** Returns the problems that redocly finds in spec/, with the file to edit; empty without problems. */
export function redoclySpecProblems(): string[] {
  return redoclyProblems(versions);
}
