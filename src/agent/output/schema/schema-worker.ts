import { serveJobs } from '../../workers/serve-jobs.ts';
import { type SchemaJob, runSchemaJob } from './schema-job.ts';

// A process of its own, started by `createOutputJudges`.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end of the channel sends nothing else
serveJobs((job) => runSchemaJob(job as SchemaJob));
