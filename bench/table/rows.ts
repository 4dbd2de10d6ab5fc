import { creations } from '../rows/creations.ts';
import { freeSuite } from '../rows/free-suite.ts';
import { gateway } from '../rows/gateway.ts';
import { generate, install, tests } from '../rows/commands.ts';
import { judge } from '../rows/judge.ts';
import { liveView } from '../rows/live-view.ts';
import { memory } from '../rows/memory.ts';
import { mocks } from '../rows/mocks.ts';
import { requests } from '../rows/requests.ts';
import { requestsPerKill } from '../rows/requests-per-kill.ts';
import { start } from '../rows/start.ts';
import { starts } from '../rows/starts.ts';
import { chromiumSuite, taskSuite } from '../rows/task-suites.ts';
import type { BenchRow } from './bench-row.ts';

/** Everything that the table measures, in its order. Between them they measure every figure once. */
export const rows: readonly BenchRow[] = [
  requests,
  creations,
  mocks,
  start,
  freeSuite,
  taskSuite,
  chromiumSuite,
  judge,
  requestsPerKill,
  starts,
  gateway,
  liveView,
  memory,
  generate,
  tests,
  install,
];
