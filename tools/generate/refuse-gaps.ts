import { globSync, readFileSync } from 'node:fs';

/** Every gap of the files below a folder that `npm run new` has left, as `file:line: what is to be filled in`. */
export function gapsIn(folder: string): string[] {
  return globSync(`${folder}/**/*.yaml`)
    .toSorted()
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          [...line.matchAll(/<fill in: ([^>]*)>/g)].map(([, what]) => `${file}:${at + 1}: ${what}`),
        ),
    );
}

/** Throws an error that lists every gap below a folder; returns when the folder has no gap. */
export function refuseGaps(folder: string): void {
  const gaps = gapsIn(folder);
  if (gaps.length > 0) throw new Error(`still to be filled in:\n${gaps.map((line) => `  ${line}`).join('\n')}`);
}
