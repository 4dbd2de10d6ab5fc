#!/usr/bin/env node
// In a checkout the sources run as they are. Node strips no types under node_modules, so an installed package brings JavaScript.
import { existsSync } from 'node:fs';
// oxlint-disable-next-line import/no-unassigned-import -- before anything that an older Node could not even load
import '../src/cli/require-node.mjs';
// oxlint-disable-next-line import/no-unassigned-import -- before the first source
import '../src/cli/keep-compiled.mjs';

const source = new URL('../src/cli/main.ts', import.meta.url);
await import(existsSync(source) ? source : new URL('../src/cli/main.js', import.meta.url));
