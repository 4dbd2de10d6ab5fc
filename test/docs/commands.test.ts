import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type StartedBackend, startBackend } from '../support/start-backend.ts';
import { readDocuments } from './documents.ts';
import { type Place, openPlace } from './open-place.ts';
import { type Block, readBlocks } from './read-blocks.ts';
import { splitCommands, isRunBy } from './run-by.ts';
import { type StandIns, createStandIns } from './stand-ins.ts';

/** This file runs the commands of each document from top to bottom. docs/design/guides.md explains the markers. */

const documents = readDocuments();
const isCommand = ({ language }: Block): boolean => language === 'sh';
const isRunHere = ({ marker }: Block): boolean => marker.by === undefined && marker.never === undefined;

/** Timeout of a document. It may start a service, a suite and a Chromium one after another, on a busy machine. */
const documentMs = 900_000;

let deployment: StartedBackend;
beforeAll(async () => {
  // Verifies as many answers as `svc serve`.
  deployment = await startBackend({ verifyEveryNth: 20 });
});
afterAll(() => deployment.stop());

describe('what readers are told to type', () => {
  const told = documents.filter(({ blocks }) => blocks.some((block) => isCommand(block) && isRunHere(block)));

  it.each(told)('works as it stands in $file', { timeout: documentMs }, async ({ file, blocks }) => {
    const place = openPlace(file);
    const texts = blocks.map(({ text }) => text);
    const standIns = await createStandIns({ deployment: deployment.address, folder: place.folder, texts });
    try {
      for (const block of blocks) await play(place, block, standIns);
    } finally {
      expect({ outlivesCtrlC: await place.close() }).toEqual({ outlivesCtrlC: [] });
    }
  });

  it('is in blocks of sh, each of which is run or says why it is not', () => {
    const strange = documents
      .flatMap(({ blocks }) => blocks)
      .filter(({ language, text }) => language !== 'sh' && /^(\$ |npm |npx |svc |curl |docker )/m.test(text))
      .filter(({ language, marker }) => language !== 'yaml' && marker.never !== 'output');
    expect(strange.map(({ place }) => place)).toEqual([]);
  });

  it('is run elsewhere where it says so', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const missing = documents
      .flatMap(({ blocks }) => blocks)
      .filter(({ marker }) => marker.by !== undefined)
      .flatMap(({ place, text, marker: { by = '' } }) => {
        const script = existsSync(by) ? readFileSync(by, 'utf8') : '';
        return splitCommands(text)
          .filter((command) => !isRunBy(script, command, scripts))
          .map((command) => `${place}: ${by} does not run ${command}`);
      });
    expect(missing).toEqual([]);
  });
});

async function play(place: Place, block: Block, standIns: StandIns): Promise<void> {
  const { marker } = block;
  if (marker.file !== undefined) return place.write(block, standIns);
  if (!isCommand(block) || !isRunHere(block)) return;
  if (marker.soon === true) await vi.waitFor(() => type(place, block, standIns), soon);
  else await type(place, block, standIns);
}

/** Timeout and interval for a block with the marker `soon`. */
const soon = { timeout: 60_000, interval: 100 };

async function type(place: Place, block: Block, standIns: StandIns): Promise<void> {
  const { marker } = block;
  const { code, output } = await place.run(block, standIns);
  const wanted = marker.stays === undefined ? (marker.exit ?? 0) : null;
  const missing = [marker.stays, marker.shows].filter((text) => text !== undefined && !output.includes(text));
  if (code === wanted && missing.length === 0) return;
  throw new Error(`${block.place} ended with ${code}, without ${JSON.stringify(missing)}:\n${output}`);
}

describe('a runner of blocks', () => {
  const markdown = (...lines: string[]): Block[] => readBlocks('a.md', lines.join('\n'));
  const none: StandIns = (text) => text;

  it('fails for a command that fails in the middle, and takes an exit code that was announced', async () => {
    const [bad, announced] = markdown(
      '```sh',
      'false',
      'true',
      '```',
      '<!-- run: { exit: 3 } -->',
      '```sh',
      'exit 3',
      '```',
    );
    const place = openPlace();
    await expect(play(place, bad!, none)).rejects.toThrow('a.md:1 ended with 1');
    await play(place, announced!, none);
    expect(await place.close()).toEqual([]);
  });

  it('hands variables from block to block, and ends what stays', async () => {
    const [first, second, third] = markdown(
      '```sh', 'word=kept', '```',
      '<!-- run: { stays: ready } -->', '```sh', 'echo ready; sleep 1000', '```',
      '<!-- run: { shows: kept } -->', '```sh', 'echo "$word"', '```',
    ); // biome-ignore format: one line each
    const place = openPlace();
    for (const block of [first!, second!, third!]) await play(place, block, none);
    expect(await place.close()).toEqual([]);
  });

  it('knows no marker but its own', () => {
    expect(() => markdown('<!-- run: { exits: 1 } -->', '```sh', 'true', '```')).toThrow('no marker knows "exits"');
    expect(() => markdown('<!-- run: { never: later } -->', '```sh', 'true', '```')).toThrow('no reason "later"');
    expect(() => markdown('```sh', 'true')).toThrow('a.md:1: the block is not closed');
  });

  it('sees whether a script runs a command, in parts too', () => {
    const scripts = { check: 'npm run lint && npm test', other: 'npm run lint && npm run more' };
    const ci = 'npm ci --no-audit\nnpm run lint\nnpm test';
    const of = (command: string): boolean => isRunBy(ci, command, scripts);
    expect(['npm ci', 'npm test', 'npm run check', 'npm run other', 'npm run lin'].map(of)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(splitCommands('npm ci && npm test # all\n# nothing')).toEqual(['npm ci', 'npm test']);
  });
});
