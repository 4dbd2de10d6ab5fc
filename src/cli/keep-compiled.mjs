// Plain JavaScript, imported before the first TypeScript module. It enables Node's compile cache for the modules that
// are loaded afterwards: stripping types of the first module alone takes a tenth of a second per start. When the folder
// cannot be written, Node continues without a cache.
import module from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../browsers/launch/cache-folder.mjs';

module.enableCompileCache(join(cacheFolder(process.env), 'compiled'));
