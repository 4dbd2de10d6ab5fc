import { createHttpModels } from '../../bench/sessions/model-stub.ts';
import { createSteppingAgent } from '../../bench/sessions/stepping-agent.ts';
import { startBackend } from './start-backend.ts';

/*
 * A service in a child process for a test that kills it: receives a data folder and a model URL, and sends its own URL.
 * Its tasks call the model in a loop.
 */
const [dataFolder = '', model = ''] = process.argv.slice(2);
const agent = createSteppingAgent({ steps: 1000 });
const { address } = await startBackend({ dataFolder, agent, models: createHttpModels(model) });
process.send?.(address);
