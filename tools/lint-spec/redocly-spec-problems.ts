import { redoclyProblems } from '../../src/cli/spec/redocly-problems.ts';
import { versions } from '../generate/bundle.ts';

/** What redocly says of spec/ itself, where its messages name the file that somebody has to edit; empty when all is well. */
export function redoclySpecProblems(): string[] {
  return redoclyProblems(versions);
}
