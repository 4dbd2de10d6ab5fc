/** The response to a request with validation problems (422), and the faults in its body and status. */
import type { FaultId } from '../faults/index.ts';
import type { Answer, Problem } from './call.ts';
import type { Json, World } from './world.ts';

interface Refused {
  body: unknown;
  status: number;
  readonly detail: readonly Json[];
}

/** Faults in the body and the status of a 422. */
const shapeFaults: Partial<Record<FaultId, (refused: Refused) => void>> = {
  'shape-detail-text': (r) => void (r.body = { detail: String(r.detail[0]?.['msg']) }),
  'shape-detail-object': (r) => void (r.body = { detail: r.detail[0] }),
  'shape-detail-empty': (r) => void (r.body = { detail: [] }),
  'shape-bare-array': (r) => void (r.body = r.detail),
  'shape-loc-missing': (r) => void (r.body = { detail: r.detail.map((one) => without(one, 'loc')) }),
  'shape-loc-text': (r) => {
    r.body = {
      detail: r.detail.map((one) => ({ ...one, loc: Array.isArray(one['loc']) ? one['loc'].join('.') : '' })),
    };
  },
  'shape-loc-objects': (r) => void (r.body = { detail: r.detail.map((one) => ({ ...one, loc: [{ in: 'body' }] })) }),
  'pl-path-loc-dotted': (r) => {
    if (isAt(r, 'path'))
      r.body = {
        detail: r.detail.map((one) => ({ ...one, loc: Array.isArray(one['loc']) ? one['loc'].join('.') : '' })),
      };
  },
  'pl-missing-400': (r) => {
    if (r.detail[0]?.['type'] === 'missing') r.status = 400;
  },
  'shape-msg-missing': (r) => void (r.body = { detail: r.detail.map((one) => without(one, 'msg')) }),
  'shape-msg-list': (r) => void (r.body = { detail: r.detail.map((one) => ({ ...one, msg: [one['msg']] })) }),
  'shape-type-missing': (r) => void (r.body = { detail: r.detail.map((one) => without(one, 'type')) }),
  'shape-type-number': (r) => void (r.body = { detail: r.detail.map((one) => ({ ...one, type: 4 })) }),
  'shape-status-400': (r) => void (r.status = 400),
  'shape-status-200': (r) => void (r.status = 200),
  'shape-status-500': (r) => void (r.status = 500),
  'shape-second-element-bare': (r) => void (r.body = { detail: [...r.detail, { msg: 'and more' }] }),
  'shape-path-400': (r) => {
    if (isAt(r, 'path')) r.status = 400;
  },
  'shape-path-404': (r) => {
    if (isAt(r, 'path')) Object.assign(r, { status: 404, body: { detail: 'Not Found' } });
  },
  'shape-path-500': (r) => {
    if (isAt(r, 'path')) Object.assign(r, { status: 500, body: { detail: 'Internal Server Error' } });
  },
  'shape-path-detail-text': (r) => {
    if (isAt(r, 'path')) r.body = { detail: 'Invalid id' };
  },
  'shape-level-detail-text': (r) => {
    if (String(r.detail[0]?.['msg']).includes('thinking_level')) r.body = { detail: String(r.detail[0]?.['msg']) };
  },
  'shape-params-detail-text': (r) => {
    if (String(r.detail[0]?.['msg']).includes('modelParams')) r.body = { detail: String(r.detail[0]?.['msg']) };
  },
  'shape-level-400': (r) => {
    if (String(r.detail[0]?.['msg']).includes('thinking_level')) r.status = 400;
  },
  'shape-params-400': (r) => {
    if (String(r.detail[0]?.['msg']).includes('modelParams')) r.status = 400;
  },
  'shape-json-500': (r) => {
    if (r.detail[0]?.['type'] === 'json_invalid') r.status = 500;
  },
};

function without(element: Json, name: string): Json {
  return Object.fromEntries(Object.entries(element).filter(([member]) => member !== name));
}

function isAt(refused: Refused, place: string): boolean {
  const loc = refused.detail[0]?.['loc'];
  return Array.isArray(loc) && loc[0] === place;
}

/** Returns the 422 response for a request with validation problems. */
export function unprocessable(world: World, problems: readonly Problem[]): Answer {
  const extra = world.dialect.extraMembers ? { ctx: { reason: 'validation' } } : {};
  const detail = problems.map((problem) => ({ loc: problem.loc, msg: problem.msg, type: problem.type, ...extra }));
  const refused: Refused = { status: 422, body: { detail }, detail };
  world.faults.distort(shapeFaults, refused);
  return { status: refused.status, body: refused.body };
}
