import { serveJobs } from '../../workers/serve-jobs.ts';
import { type SchemaJob, runSchemaJob } from './schema-job.ts';

// Entry point of a child process that `createOutputJudges` starts.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end of the channel sends nothing else
serveJobs((job) => runSchemaJob(job as SchemaJob));
