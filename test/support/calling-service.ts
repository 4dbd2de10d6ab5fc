import { createHttpModels } from '../../bench/sessions/bench-service.ts';
import { createSteppingAgent } from '../../bench/sessions/stepping-agent.ts';
import { startBackend } from './start-backend.ts';

/*
 * A service in a process of its own, for a test that kills it: told a data folder and the address of a model, it tells its own
 * address. Each of its tasks asks the model again and again.
 */
const [dataFolder = '', model = ''] = process.argv.slice(2);
const agent = createSteppingAgent({ steps: 1000 });
const { address } = await startBackend({ dataFolder, agent, models: createHttpModels(model) });
process.send?.(address);
