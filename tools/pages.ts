import { writeFiles } from './generate/write-files.ts';
import {
  agentPage,
  browsersPage,
  coveragePage,
  errorsPage,
  eventsPage,
  exitCodesPage,
  fieldsPage,
  modelsPage,
  lifecyclePage,
} from './pages/table-pages.ts';
import { reportPage } from './pages/report-page.ts';
import { teethPage } from './pages/teeth-page.ts';

const pages = {
  'agent.md': agentPage,
  'browsers.md': browsersPage,
  'coverage.md': coveragePage,
  'errors.md': errorsPage,
  'events.md': eventsPage,
  'exit-codes.md': exitCodesPage,
  'fields.md': fieldsPage,
  'lifecycle.md': lifecyclePage,
  'models.md': modelsPage,
  'report.md': reportPage,
  'teeth.md': teethPage,
};

/**
 * Writes docs/reference/ from the tables of the code. With --check, only compares the files. Runs after
 * tools/generate.ts.
 */
const files = new Map(Object.entries(pages).map(([name, page]) => [name, page()]));
process.exitCode = writeFiles({ folder: 'docs/reference', files }, process.argv.includes('--check'));
