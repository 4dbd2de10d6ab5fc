/** Renders V4 runs in responses. */
import type { FaultId } from '../faults/index.ts';
import type { Call } from './call.ts';
import { bill, type Json, now, type Run } from './world.ts';

interface Shown {
  readonly view: Json;
  readonly run: Run;
  readonly call: Call;
}

const viewFaults: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'view4-result-object': ({ view, run }) => void (view['result'] = run.result === null ? null : [run.result]),
  'view4-result-early': ({ view, run }) => {
    if (run.status === 'running') view['result'] = 'partial';
  },
  'view4-result-missing': ({ view }) => void delete view['result'],
  'view4-result-other': ({ view, run, call }) => {
    const other = [...call.project.runs.values()].find((one) => one !== run && one.result !== null);
    if (other && run.result !== null) view['result'] = other.result;
  },
  'view4-model-other': ({ view }) => void (view['model'] = 'minimax-m3'),
  'view4-task-cut': ({ view, run }) => void (view['task'] = run.task.slice(0, 8)),
  'view4-id-other': ({ view, call }) => void (view['id'] = call.world.dialect.id()),
  'view4-session-other': ({ view, call }) => void (view['sessionId'] = call.world.dialect.id()),
  'view4-created-moves': ({ view, call }) => void (view['createdAt'] = call.world.dialect.time(now(call.world))),
  'view4-updated-early': ({ view, run, call }) =>
    void (view['updatedAt'] = call.world.dialect.time(run.createdAt - 1000)),
  'view4-cost-number': ({ view, run }) => void (view['totalCostUsd'] = bill(run.meters).total / 1e6),
  'view4-tokens-negative': ({ view }) => void (view['totalOutputTokens'] = -5),
  'view4-status-word': ({ view, run }) => {
    if (run.status === 'completed') view['status'] = 'succeeded';
  },
  'view4-title-missing': ({ view }) => void delete view['title'],
  'view4-error-beside-result': ({ view, run }) => {
    if (run.result !== null) view['error'] = 'Something went wrong';
  },
};

/** Returns the record of a run for a response, changed by active faults. */
export function runView(call: Call, run: Run): Json {
  const { dialect } = call.world;
  const view: Json = {
    id: run.id,
    task: run.task,
    title: run.title,
    model: run.model,
    contextLimit: 200_000,
    status: run.status,
    result: run.result,
    error: run.error,
    sessionId: run.sessionId,
    workspaceId: run.workspaceId,
    attachedFileIds: run.attachedFileIds.length > 0 ? run.attachedFileIds : null,
    judgement: run.judgement,
    totalInputTokens: run.meters.inputTokens,
    totalOutputTokens: run.meters.outputTokens,
    totalCostUsd: dialect.decimal(bill(run.meters).total),
    createdAt: dialect.time(run.createdAt),
    updatedAt: dialect.time(run.updatedAt),
    output: run.output,
    outputSchema: run.outputSchema,
    ...(dialect.extraMembers ? { object: 'run', modelParams: run.modelParams } : {}),
  };
  call.world.faults.distort(viewFaults, { view, run, call });
  return view;
}
