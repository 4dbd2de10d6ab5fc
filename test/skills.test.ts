import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSkillsFolder } from '#agent/skills/read-skills-folder.ts';
import { readDescription } from '#agent/skills/skill.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { JsonObject } from '#lib/json.ts';
import { callPath, markFor, startProviderStub } from '#conformance/provider-stub/index.ts';
import { createAgent } from '../src/cli/serve/create-agent.ts';
import { type ApiClient, createApiClient } from './support/api-client.ts';
import { callsTools } from './support/call-tools.ts';
import { createScriptedModels, type ScriptedModels } from './support/scripted-models.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';
import { stubbedModels } from './support/start-with-stub.ts';

const bounds = { skills: 3, files: 4, fileBytes: 1_000 };
const agent = createAgent(defaultRules, { testTasks: true });

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'svc-skills-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes the files of a skill into the skills folder. */
function write(name: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, path, '..'), { recursive: true });
    writeFileSync(join(folder, name, path), text);
  }
}

const report = { 'SKILL.md': '---\ndescription: How reports look\n---\nUse two columns.', 'parts/a.txt': 'A template' };

/** Runs a session whose model reads skills; returns the model's first and last request as text. */
async function run(started: StartedBackend, models: ScriptedModels, body: JsonObject): Promise<readonly string[]> {
  const v3 = createApiClient(started.address, testKey);
  const { id } = (await v3.call('POST', '/sessions', { task: 'Write it', ...body })).body;
  await v3.until(String(id), ({ status }) => status === 'stopped');
  return [models.calls[0], models.calls.at(-1)].map((call) => JSON.stringify(call?.request));
}

function readingModels(...calls: readonly JsonObject[]): ScriptedModels {
  const models = createScriptedModels(new Map([['anthropic', 'cloud']]));
  const toolCalls = calls.map((input, index) => ({ id: `c${index}`, name: 'read_skill', input }));
  models.answering = async ({ request: { messages } }) =>
    callsTools(messages.length === 1 ? toolCalls : [{ id: 'f', name: 'finish', input: { success: true, text: 'ok' } }]);
  return models;
}

it('shows names and descriptions at once, and instructions and files when the model reads them', async () => {
  write('report', report);
  const models = readingModels({ name: 'report' }, { name: 'report', path: 'parts/a.txt' }, { name: 'other' });
  const started = await startBackend({ agent, models, skills: await readSkillsFolder(folder, bounds) });
  const [first, last] = await run(started, models, {});
  expect(first).toContain('- report: How reports look');
  expect(first).not.toContain('Use two columns');
  expect(last).toContain('Use two columns.\\n\\nFiles of this skill: SKILL.md, parts/a.txt');
  expect(last).toContain('A template');
  expect(last).toContain('There is no skill \\"other\\". Skills: report.');
  const [without] = await run(started, Object.assign(models, { calls: [] }), { skills: false });
  expect(without).not.toMatch(/How reports look|read_skill/);
  await started.stop();
});

it('reaches the provider in its own format', async () => {
  write('report', report);
  const stub = await startProviderStub({ host: '127.0.0.1', port: 0, script: null, ownKeyEndings: {} });
  const skills = await readSkillsFolder(folder, bounds);
  const started = await startBackend({ agent, models: stubbedModels(defaultRules, stub.address), skills });
  const v3 = createApiClient(started.address, testKey);
  const seen: string[] = [];
  for (const [index, body] of [{}, { skills: false }].entries()) {
    const mark = markFor('skills', 'v3', index);
    const { id } = (await v3.call('POST', '/sessions', { task: `Write ${mark}`, ...body })).body;
    await v3.until(String(id), ({ status }) => status === 'stopped');
    seen.push(await (await fetch(`${stub.address}${callPath}?mark=${mark}`)).text());
  }
  expect(seen[0]).toMatch(/read_skill.*How reports look|How reports look.*read_skill/);
  expect(seen[1]).toContain('finish');
  expect(seen[1]).not.toMatch(/read_skill|How reports look/);
  await started.stop();
  await stub.close();
});

/** Uploads the SKILL.md of a skill to a workspace. */
async function upload(
  v3: ApiClient,
  workspaceId: string,
  { name, text }: { name: string; text: string },
): Promise<void> {
  const contentType = 'text/plain';
  const wanted = { files: [{ name: 'SKILL.md', size: text.length, contentType }] };
  const made = await v3.call('POST', `/workspaces/${workspaceId}/files/upload?prefix=skills/${name}`, wanted);
  const [{ uploadUrl } = { uploadUrl: '' }] = made.body['files'] as { uploadUrl: string }[];
  const put = await fetch(uploadUrl, { method: 'PUT', body: text, headers: { 'content-type': contentType } });
  expect(put.status).toBeLessThan(300);
}

it('takes skills of the workspace that the project uploaded, and none that an agent wrote', async () => {
  const models = readingModels({ name: 'tone' }, { name: 'evil' });
  const started = await startBackend({ agent, models });
  const v3 = createApiClient(started.address, testKey);
  const workspaceId = String((await v3.call('POST', '/workspaces', {})).body['id']);
  const skill = '---\ndescription: How we write\n---\nBe brief.';
  for (const name of ['tone', 'evil']) await upload(v3, workspaceId, { name, text: skill });
  const { db } = started.backend;
  await db.updateTable('files').set({ runId: 'r' }).where('path', 'like', 'skills/evil/%').execute();
  const [first, last] = await run(started, models, { workspaceId });
  expect(first).toContain('- tone: How we write');
  expect(first).not.toContain('evil');
  expect(last).toContain('Be brief.');
  await started.stop();
});

it.each([
  { mark: '[', head: '['.repeat(4_000) },
  { mark: '{a:', head: '{a: '.repeat(1_000) },
  { mark: '?', head: '? '.repeat(2_000) },
  { mark: '-', head: '- '.repeat(2_000) },
])('does not parse a head of 4,000 characters with $mark, which would take long', async ({ head }) => {
  await expect(readDescription(`---\n${head}\n---\n`)).rejects.toThrow(/^found a head with \d+ marks of YAML/);
});

it.each(['a: !!js/function x', '? {a: b}\n: c'])('writes no text of a head to standard error: %j', async (member) => {
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  expect(await readDescription(`---\ndescription: x\n${member}\n---\n`)).toBe('x');
  // Node emits warnings in the next tick.
  await nextTick();
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

it('reads the heads of 50 skills of a workspace, in the order of their names', async () => {
  const models = readingModels({ name: 's11' });
  const started = await startBackend({ agent, models });
  const v3 = createApiClient(started.address, testKey);
  const workspaceId = String((await v3.call('POST', '/workspaces', {})).body['id']);
  for (let index = 10; index < 70; index += 1) {
    const text = `---\n${index === 10 ? '' : `description: rule ${index}`}\n---\n`;
    await upload(v3, workspaceId, { name: `s${index}`, text });
  }
  const [first = ''] = await run(started, models, { workspaceId });
  expect([...first.matchAll(/- s\d+: rule (\d+)/g)].map(([, index]) => Number(index))).toEqual(
    Array.from({ length: 49 }, (_, index) => 11 + index),
  );
  await started.stop();
});

it.each([
  { name: 'a head is missing', skill: { 'SKILL.md': 'Use it.' }, says: 'found no head' },
  { name: 'no description', skill: { 'SKILL.md': '---\nname: x\n---\n' }, says: 'found no such description' },
  { name: 'a head that is no YAML', skill: { 'SKILL.md': '---\na: [\n---\n' }, says: 'no YAML' },
  {
    name: 'a head that takes long to parse',
    skill: { 'SKILL.md': `---\ndescription: x\na: ${'['.repeat(500)}\n---\n` },
    says: 'marks of YAML',
  },
  { name: 'no SKILL.md', skill: { 'a.txt': 'x' }, says: 'found no SKILL.md' },
  {
    name: 'a large file',
    skill: { 'SKILL.md': `---\ndescription: x\n---\n${'x'.repeat(2_000)}` },
    says: 'more than 1000',
  },
])('refuses a folder where a skill has $name', async ({ skill, says }) => {
  write('report', skill);
  await expect(readSkillsFolder(folder, bounds)).rejects.toThrow(says);
});

it('does not follow links out of the folder', async () => {
  write('report', report);
  symlinkSync('/etc/hostname', join(folder, 'report', 'host.txt'));
  const [skill] = await readSkillsFolder(folder, bounds);
  expect(skill?.paths).toEqual(['SKILL.md', 'parts/a.txt']);
});
