import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMock } from '#mock/create-mock.ts';
import { createLog } from '../../src/cli/create-log.ts';

const action = parse(readFileSync('action.yml', 'utf8'));
const gitlab = parse(readFileSync('docs/guides/ci/gitlab.yml', 'utf8'));
const judged = ['badge.json', 'junit.xml', 'report.html', 'report.json', 'report.md'];

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Record<string, string>;
  readonly with?: Record<string, string>;
  readonly if?: string;
  readonly shell?: string;
}
const steps: Step[] = action.runs.steps;

describe('templates for build servers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ci-'));
  const mock = createMock({ apiKey: 'svc_mock', dynamic: false, faultRate: 0, seed: 1, log: createLog('error') });
  let address: string;
  beforeAll(async () => {
    address = await (await mock).listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await (await mock).close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a script in a shell; returns its exit code and its output. */
  const run = async (script: string, env: Record<string, string>): Promise<{ code: number | null; text: string }> => {
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    let text = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    return { code: await new Promise((done) => shell.once('close', done)), text };
  };
  const svc = `node ${resolve('bin/svc.mjs')}`;
  const smoke = '--profile smoke --rate 0';

  it('judge and leave every face of the report, by the script of the action', async () => {
    const judge = steps.find(({ run: script }) => script?.includes('judge.sh'));
    const [output, summary, reports] = ['output', 'summary', 'reports'].map((name) => join(folder, name));
    const { code, text } = await run(judge?.run ?? '', {
      SERVICE_URL: address,
      SERVICE_API_KEY: 'svc_mock',
      JUDGE_ARGS: smoke,
      JUDGE_REPORTS: String(reports),
      GITHUB_ACTION_PATH: resolve('.'),
      GITHUB_OUTPUT: String(output),
      GITHUB_STEP_SUMMARY: String(summary),
    });
    expect({ code, text }).toMatchObject({ code: 0 });
    expect(readdirSync(String(reports)).toSorted()).toEqual(judged);
    expect(readFileSync(String(output), 'utf8')).toBe('exit-code=0\n');
    expect(readFileSync(String(summary), 'utf8')).toContain('## PASSED: no violation');
    expect(JSON.parse(readFileSync(join(String(reports), 'badge.json'), 'utf8'))).toMatchObject({
      color: 'brightgreen',
    });
  });

  it('hand on the exit code and both files, by the script of the pipeline', async () => {
    const script = gitlab['svc-check'].script.join('\n').replaceAll('/opt/svc', resolve('.'));
    const given = { SERVICE_URL: address, JUDGE_SVC: svc, JUDGE_ARGS: smoke, JUDGE_REPORTS: 'svc-report' };
    expect(await run(script, { ...given, SERVICE_API_KEY: 'wrong' })).toMatchObject({ code: 3 });
    expect(await run(script, { ...given, SERVICE_API_KEY: 'svc_mock', JUDGE_BASELINE: 'none.yaml' })).toMatchObject({
      code: 2,
      text: expect.stringContaining('none.yaml'),
    });
    expect(await run(script, { ...given, SERVICE_URL: '' })).toMatchObject({ code: 2 });
  });

  it('comment on a merge request as its interface wants it', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      void json(request).then((body) => {
        seen.push([request.method, request.url, request.headers['private-token'], body]);
        response.writeHead(201).end('{}');
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    const { port } = server.address() as AddressInfo;
    const { code } = await run(
      `echo '## one' > report.md; node ${resolve('docs/guides/ci/comment-on-gitlab.mjs')} report.md`,
      {
        CI_API_V4_URL: `http://127.0.0.1:${port}/api/v4`,
        CI_PROJECT_ID: '7',
        CI_MERGE_REQUEST_IID: '3',
        SVC_COMMENT_TOKEN: 'secret',
      },
    );
    await new Promise((done) => server.close(done));
    expect(code).toBe(0);
    expect(seen).toEqual([['POST', '/api/v4/projects/7/merge_requests/3/notes', 'secret', { body: '## one\n' }]]);
  });

  it('use every input, know every one that they use, and name no file that is missing', () => {
    const text = readFileSync('action.yml', 'utf8');
    const used = [...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(action.inputs)));
    for (const { description } of Object.values<{ description: string }>(action.inputs))
      expect(description).toMatch(/\.$|\d$/);
    const files = [
      ...text.matchAll(/GITHUB_ACTION_PATH\/([\w./-]+)/g),
      ...readFileSync('docs/guides/ci/gitlab.yml', 'utf8').matchAll(/\/opt\/svc\/([\w./-]+)/g),
    ];
    expect(files.map(([, file = '']) => file).filter((file) => !existsSync(file))).toEqual([]);
  });

  it('have the members that build servers know', () => {
    for (const step of steps) {
      expect(
        Object.keys(step).filter((key) => !['id', 'name', 'if', 'uses', 'with', 'run', 'shell', 'env'].includes(key)),
      ).toEqual([]);
      expect(step.run === undefined ? step.uses : step.shell).toBeDefined();
      // A value that is inserted into a script could inject code. Values must go through environment variables.
      expect(step.run ?? '').not.toContain('${{');
    }
    const job = gitlab['svc-check'];
    expect(Object.keys(job).toSorted()).toEqual(['after_script', 'artifacts', 'image', 'script', 'stage', 'variables']);
    expect(job.artifacts.reports.junit).toBe(`${job.variables.JUDGE_REPORTS}/junit.xml`);
  });

  it('of this project run what a change has to pass, on the Node of package.json', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
    const [, major] = /^>=(\d+)\./.exec(engines.node) ?? [];
    const workflow = parse(readFileSync('.github/workflows/ci.yml', 'utf8'));
    const [job] = Object.values<{ steps: Step[] }>(workflow.jobs);
    expect(Object.keys(workflow.on)).toEqual(['pull_request', 'push']);
    expect(job?.steps.find(({ with: given }) => given?.['node-version'] !== undefined)?.with).toEqual({
      'node-version': Number(major),
    });
    expect(job?.steps.at(-1)?.run).toBe('bash .ci/run');
    const whole = /^whole\(\) \{\n([\s\S]*?)^\}/m.exec(readFileSync('.ci/run', 'utf8'))?.[1] ?? '';
    expect(whole).toMatch(
      /npm ci [\s\S]*npm run drift\n[\s\S]*npm run conformance [\s\S]*npm run lint [\s\S]*npm test\n/,
    );
    const container = JSON.parse(readFileSync('.devcontainer/devcontainer.json', 'utf8'));
    expect(container.image).toMatch(new RegExp(`:${major}-`));
    expect(container.postCreateCommand).toMatch(/^npm ci\b/);
  });

  it('build the suite from what there is', () => {
    const dockerfile = readFileSync('docs/guides/ci/Dockerfile', 'utf8');
    expect(validate(dockerfile)).toEqual([]);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(copied.filter((name) => !existsSync(name))).toEqual([]);
    expect(dockerfile).toMatch(/^USER (?!root|0)\w+$/m);
  });
});
