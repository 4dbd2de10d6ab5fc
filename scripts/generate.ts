import { build } from './generate/build.ts';
import { writeFiles } from './generate/write-files.ts';

/** Writes generated/ from spec/; with --check it writes nothing and fails where the two differ. */
process.exitCode = writeFiles({ folder: 'generated', files: await build() }, process.argv.includes('--check'));
