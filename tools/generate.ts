import { build } from './generate/build.ts';
import { refuseDuplicates, refuseGaps } from './generate/refuse-mistakes.ts';
import { writeFiles } from './generate/write-files.ts';

/** Writes generated/ from spec/. With --check, writes nothing and fails when generated/ is out of date. */
refuseGaps('spec');
refuseDuplicates(['src', 'conformance', 'tools', 'proofs', 'bench']);
process.exitCode = writeFiles({ folder: 'generated', files: await build() }, process.argv.includes('--check'));
