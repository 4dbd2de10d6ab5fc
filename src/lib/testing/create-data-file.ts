import { parse } from 'yaml';
import type { DataFile } from '../data-file.ts';

/** Parses a YAML text into a data file for tests. Its errors contain the problems without line numbers. */
export function createDataFile(text: string, name: string): DataFile {
  const value: unknown = parse(text);
  const fault: DataFile['fault'] = (problems) =>
    new Error(`Found in ${name}: ${problems.map((problem) => problem.text).join('; ')}`);
  return { name, value, fault };
}
