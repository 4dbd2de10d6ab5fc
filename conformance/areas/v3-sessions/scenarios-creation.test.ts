import { expect, it } from 'vitest';
import { createRunContext } from '../../runner/run-context.ts';
import type { JsonObject } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import { defaultTarget } from '../../core/default-target.ts';
import { settle } from '../../runner/options.ts';
import { equippedSession } from './scenarios-creation.ts';

it('the session with a ceiling is sent the cheap goal, because only the echo of the ceiling is judged', async () => {
  const settings = settle({ target: { ...defaultTarget, url: 'http://127.0.0.1:1' }, apiKey: 'svc_key' });
  const context = createRunContext({ settings, signal: new AbortController().signal }).contextFor('test');
  const sent: JsonObject[] = [];
  context.sessions.create = ({ body }) => {
    sent.push(body);
    return Promise.reject(new NotTestable('enough was seen'));
  };
  await expect(equippedSession.run(context)).rejects.toThrow('enough was seen');
  expect(sent).toMatchObject([{ task: context.target.tasks.succeed, maxCostUsd: defaultTarget.limits.ceilingUsd }]);
});
