import { join } from 'node:path';
import { growthOfConnections } from './growth/connections.ts';
import { growthOfData } from './growth/data.ts';
import { growthOfLiving } from './growth/living.ts';
import { type Grown, grownLines } from './growth/grown.ts';
import { growthOfRecordings } from './growth/recordings.ts';

/** Each figure at one, 10 and 100 times the data or connections; a line that grows faster than its work is marked. */
export async function benchGrowth(folder: string): Promise<string[]> {
  const grown: Grown[] = [
    ...(await growthOfData(join(folder, 'data'))),
    ...(await growthOfConnections()),
    ...(await growthOfLiving()),
    ...(await growthOfRecordings()),
  ];
  return grownLines(grown);
}
