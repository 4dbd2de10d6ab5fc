import { isJsonObject, toText } from '../../core/json.ts';
import type { ClientExchange, TrialRun } from '../recording.ts';
import {
  type JudgeTrial,
  answeredObject,
  broken,
  endText,
  isFinished,
  kept,
  ofKind,
  open,
  printedObject,
  sentJson,
} from './judged.ts';

/**
 * Judges CLIENT-WRITE-01 to -03: the program must not repeat a creation of unknown outcome unless it has sent a GET
 * request in between, to read the existing resources.
 */
export const createsOnce: JudgeTrial = (run) => {
  const unsure = run.exchanges.find(({ fault, kind }) => fault !== undefined && kind === 'create');
  if (unsure === undefined) return open('the program gave no task');
  const again = run.exchanges.find(({ kind, index }) => kind === 'create' && index > unsure.index);
  if (again === undefined) return kept;
  const looked = run.exchanges.some(
    ({ method, index }) => method === 'GET' && index > unsure.index && index < again.index,
  );
  return looked ? kept : broken('found the same creation again without a look at what exists', again);
};

/** Judges CLIENT-WRITE-04: the program must stop its task by the stop operation, with the task's id. */
export const stopsWork: JudgeTrial = (run) => {
  const [create] = ofKind(run, 'create');
  const id = create === undefined ? undefined : answeredObject(create)?.['id'];
  if (create === undefined || create.status >= 300) return open('the program started no work');
  const stop = ofKind(run, 'stop').find((exchange) => exchange.operation?.target === id && isStop(exchange));
  if (stop === undefined && create.status > 200 && run.exchanges.at(-1) === create && run.end.code !== 0)
    return open('the program stopped after the answer to its task');
  if (stop === undefined)
    return broken(`found no request that stops ${toText(id)}: ${endText(run)}`, run.exchanges.at(-1));
  return isFinished(run) ? kept : broken(`found a fault after the stop: ${endText(run)}`, stop);
};

function isStop(exchange: ClientExchange): boolean {
  const sent = sentJson(exchange);
  if (exchange.operation?.version !== 'v2') return true;
  return isJsonObject(sent) && ['stop', 'stop_task_and_session'].includes(toText(sent['action']));
}

/** Judges CLIENT-WRITE-05: an interrupt must stop the created task and end the program. */
export const cleansUpOnInterrupt: JudgeTrial = (run) => {
  const { interruptedMs } = run;
  if (interruptedMs === undefined) return open('the program ended before it was interrupted');
  const [create] = ofKind(run, 'create');
  const id = create === undefined ? undefined : answeredObject(create)?.['id'];
  const stop = ofKind(run, 'stop').find(({ operation }) => operation?.target === id);
  if (stop === undefined)
    return broken(`found no request that stops ${toText(id)} after an interrupt: ${endText(run)}`, create);
  return run.end.killed === undefined ? kept : broken(`found no end after an interrupt: ${endText(run)}`, stop);
};

/** Judges CLIENT-BROWSER-01: the program must reconnect to the same browser after its connection is lost. */
export const reconnects: JudgeTrial = (run) => {
  const dropped = run.sockets.findIndex(({ closedBy }) => closedBy === 'trial');
  const before = run.sockets[dropped];
  if (before === undefined) return open('the program did not connect to the browser');
  const [first, second] = ofKind(run, 'createBrowser');
  if (second !== undefined)
    return broken('found a second browser after a dropped connection, expected the first one', second);
  const again = run.sockets[dropped + 1];
  if (again === undefined) return broken(`found no second connection: ${endText(run)}`, first);
  if (again.target !== before.target)
    return broken('found a connection to another address after the first was dropped', first);
  return isFinished(run) ? kept : broken(`found no result after a second connection: ${endText(run)}`, first);
};

/**
 * Judges CLIENT-BROWSER-02: the program must stop the browser by its stop operation and print the browser's version.
 */
export const stopsBrowser: JudgeTrial = (run) => {
  const [created] = ofKind(run, 'createBrowser');
  if (created === undefined || created.status >= 300) return open('the program created no browser');
  if (run.sockets.length === 0 && run.end.code !== 0) return open(`the program did not connect: ${endText(run)}`);
  const stop = findStop(run, created);
  if (stop === undefined) return broken(`found no PATCH with the action stop: ${endText(run)}`, created);
  const product = printedObject(run)?.['product'];
  if (!isFinished(run) || typeof product !== 'string')
    return broken(`found no version of the browser in its output: ${endText(run)}`, stop);
  return kept;
};

/** Judges CLIENT-BROWSER-03: a program whose connections to a browser were lost must still stop its browsers. */
export const stopsLostBrowser: JudgeTrial = (run) => {
  const [created] = ofKind(run, 'createBrowser');
  if (created === undefined || created.status >= 300) return open('the program created no browser');
  if (!run.sockets.some(({ closedBy }) => closedBy === 'trial'))
    return open('the program did not connect to the browser');
  if (run.end.killed !== undefined) return broken(`found no end after lost connections: ${endText(run)}`, created);
  const unstopped = ofKind(run, 'createBrowser').find((one) => one.status < 300 && findStop(run, one) === undefined);
  return unstopped === undefined
    ? kept
    : broken(`found a browser that was not stopped after lost connections: ${endText(run)}`, unstopped);
};

function findStop(run: TrialRun, created: ClientExchange): ClientExchange | undefined {
  const id = answeredObject(created)?.['id'];
  return ofKind(run, 'stopBrowser').find((exchange) => {
    const sent = sentJson(exchange);
    return exchange.operation?.target === id && isJsonObject(sent) && sent['action'] === 'stop';
  });
}
