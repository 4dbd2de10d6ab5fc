import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { NewFault } from './new/edits.ts';
import { plan } from './new/plan.ts';

/**
 * npm run new -- model NAME | operation NAME --version v4 --method get --path /things/{id} | check ID --area AREA |
 * version v5
 *
 * Writes the files of a new model, operation, check or generation, with a marker for each value that the user must fill
 * in, and prints the next steps. Also adds lines to existing tables and index files. Rejects a name that exists.
 * `npm run generate` lists every remaining marker.
 */
try {
  const { files, next } = plan(process.argv.slice(2), {
    read: (file) => readFileSync(file, 'utf8'),
    exists: existsSync,
    list: (pattern) => globSync(pattern),
  });
  for (const [file, text] of files) {
    const verb = existsSync(file) ? 'changed' : 'made';
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`${verb} ${file}`);
  }
  console.log(`\nNext:\n${next.map((step, at) => `${at + 1}. ${step}`).join('\n')}`);
} catch (error) {
  if (!(error instanceof NewFault)) throw error;
  console.error(`npm run new: ${error.message}`);
  process.exitCode = 2;
}
