// Plain JavaScript, imported before the first source: Node keeps what it strips and compiles from here on, and a later start does neither again.
// What is loaded before it is stripped by every start, and already the first file of types brings the parser, a tenth of a second.
// A folder that cannot be written is no reason to stop: Node goes on without.
import module from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../browsers/launch/cache-folder.mjs';

module.enableCompileCache(join(cacheFolder(process.env), 'compiled'));
