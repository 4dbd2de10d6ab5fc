import { expect, it } from 'vitest';
import { createWorkshop } from '../../runner/drive.ts';
import type { JsonObject } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import { defaultTarget } from '../../core/target/default-target.ts';
import { settle } from '../../runner/options.ts';
import { equippedSession } from './scenarios-creation.ts';

it('the session with a ceiling is sent the cheap goal, because only the echo of the ceiling is judged', async () => {
  const settings = settle({ target: { ...defaultTarget, url: 'http://127.0.0.1:1' }, apiKey: 'svc_key' });
  const drive = createWorkshop({ settings, signal: new AbortController().signal }).drive('test');
  const sent: JsonObject[] = [];
  drive.sessions.create = ({ body }) => {
    sent.push(body);
    return Promise.reject(new NotTestable('enough was seen'));
  };
  await expect(equippedSession.drive(drive)).rejects.toThrow('enough was seen');
  expect(sent).toMatchObject([{ task: drive.target.tasks.succeed, maxCostUsd: defaultTarget.limits.ceilingUsd }]);
});
