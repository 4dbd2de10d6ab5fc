import { expect, it } from 'vitest';
import { createWorkshop } from '../drive.ts';
import type { JsonObject } from '../harness/json.ts';
import { NotTestable } from '../harness/outcome.ts';
import { defaultTarget } from '../harness/target/default-target.ts';
import { settle } from '../options.ts';
import { equippedSession } from './equipped-session.ts';

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
