import { build } from './generate/build.ts';
import { refuseDuplicates, refuseGaps } from './generate/refuse-mistakes.ts';
import { writeFiles } from './generate/write-files.ts';

/**
 * Writes generated/ from its sources, such as spec/. With --check, writes nothing and fails if generated/ is out of
 * date. Throws for markers of `npm run new` in spec/, and for types that a file declares twice.
 */
refuseGaps('spec');
refuseDuplicates(['src', 'conformance', 'tools', 'proofs', 'bench']);
process.exitCode = writeFiles({ folder: 'generated', files: await build() }, process.argv.includes('--check'));
