#!/usr/bin/env node
// oxlint-disable-next-line import/no-unassigned-import -- it has to run before anything else is loaded
import './require-node.mjs';
// oxlint-disable-next-line import/no-unassigned-import -- bin/svc.mjs imports it too; this import is for a direct start of this file
import './keep-compiled.mjs';
import { ignoreClosedOutput } from './process-end.ts';
import { runProgram } from './run-program.ts';

ignoreClosedOutput(process.stdout, 1);
ignoreClosedOutput(process.stderr, 2);
const { code, hasFailed } = await runProgram(process.argv.slice(2));
// Resources that a failed command left open must not keep the process alive.
if (hasFailed) process.exit(code);
process.exitCode = code;
