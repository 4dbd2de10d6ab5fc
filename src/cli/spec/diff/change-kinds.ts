/**
 * Effect of a change on clients: `breaking` breaks clients, `risky` breaks some clients, depending on how they are
 * written, and `fine` breaks none.
 */
export type Verdict = 'breaking' | 'risky' | 'fine';

/** Direction in which data is sent: `request` to the service (parameters, request bodies), `response` to the client. */
export type Direction = 'request' | 'response';

/** A kind of change: its description in the output of `svc spec diff`, and its verdict for each direction. */
interface ChangeKind {
  readonly text: string;
  readonly request: Verdict;
  readonly response: Verdict;
  /** Reason why the change breaks or may break clients, as a sentence; undefined when both verdicts are `fine`. */
  readonly why?: string;
}

const same = (verdict: Verdict): Pick<ChangeKind, Direction> => ({ request: verdict, response: verdict });
/** Verdicts of a restriction: the service may refuse what a client sends, but a response contains nothing new. */
const narrower = {
  request: 'breaking',
  response: 'fine',
  why: 'A client that sends what was allowed is refused.',
} as const;
/**
 * Verdicts of an extension: the service refuses nothing new, but a response may contain values that a client does not
 * know.
 */
const wider = { request: 'fine', response: 'breaking', why: 'A client may read what it was never told of.' } as const;

/** All kinds of changes with their verdicts, which are defined only here. */
export const changeKinds = {
  documentAdded: { text: 'document added', ...same('fine') },
  documentRemoved: {
    text: 'document removed',
    ...same('breaking'),
    why: 'Every client of this generation is refused.',
  },
  operationAdded: { text: 'operation added', ...same('fine') },
  operationRemoved: { text: 'operation removed', ...same('breaking'), why: 'A client that calls it is refused.' },
  operationRenamed: {
    text: 'operationId changed',
    ...same('risky'),
    why: 'Generated clients name their methods by it.',
  },
  operationDeprecated: { text: 'operation deprecated', ...same('fine') },
  securityChanged: {
    text: 'authentication changed',
    ...same('breaking'),
    why: 'A client that authenticates as before is refused.',
  },
  parameterAdded: { text: 'optional parameter added', ...same('fine') },
  requiredParameterAdded: {
    text: 'required parameter added',
    ...same('breaking'),
    why: 'A client that does not send it is refused.',
  },
  parameterRemoved: {
    text: 'parameter removed',
    ...same('breaking'),
    why: 'A client that sends it is refused, or not heeded.',
  },
  parameterBecameRequired: {
    text: 'parameter became required',
    ...same('breaking'),
    why: 'A client that does not send it is refused.',
  },
  parameterBecameOptional: { text: 'parameter became optional', ...same('fine') },
  parameterEncodingChanged: {
    text: 'encoding of the parameter changed',
    ...same('breaking'),
    why: 'A client that writes its values as before is refused, or misunderstood.',
  },
  bodyAdded: { text: 'optional body added', ...same('fine') },
  requiredBodyAdded: { text: 'required body added', ...same('breaking'), why: 'A client that sends none is refused.' },
  bodyRemoved: {
    text: 'body removed',
    ...same('breaking'),
    why: 'A client that relies on it is refused, or not answered.',
  },
  bodyBecameRequired: {
    text: 'body became required',
    ...same('breaking'),
    why: 'A client that sends none is refused.',
  },
  bodyBecameOptional: { text: 'body became optional', ...same('fine') },
  mediaTypeAdded: { text: 'media type added', ...same('fine') },
  mediaTypeRemoved: {
    text: 'media type removed',
    ...same('breaking'),
    why: 'A client that relies on it cannot be served.',
  },
  successStatusAdded: {
    text: 'success status added',
    ...same('risky'),
    why: 'A client that compares the status may take it for a failure.',
  },
  successStatusRemoved: {
    text: 'success status removed',
    ...same('breaking'),
    why: 'A client that waits for it does not see success.',
  },
  errorStatusAdded: {
    text: 'error status added',
    ...same('risky'),
    why: 'A client may meet a refusal that it was never told of.',
  },
  errorStatusRemoved: {
    text: 'error status removed',
    ...same('risky'),
    why: 'A client that acts on it no longer does.',
  },
  headerAdded: { text: 'header added', ...same('fine') },
  headerRemoved: { text: 'header removed', ...same('breaking'), why: 'A client that reads it finds nothing.' },
  headerBecameOptional: {
    text: 'header became optional',
    ...same('breaking'),
    why: 'A client that reads it may find nothing.',
  },
  headerBecameRequired: { text: 'header became required', ...same('fine') },
  memberAdded: { text: 'optional member added', ...same('fine') },
  requiredMemberAdded: {
    text: 'required member added',
    request: 'breaking',
    response: 'fine',
    why: 'A client that does not send it is refused.',
  },
  memberRemoved: {
    text: 'member removed',
    ...same('breaking'),
    why: 'A client that sends it is refused or not heeded; one that reads it finds nothing.',
  },
  memberBecameRequired: {
    text: 'member became required',
    request: 'breaking',
    response: 'fine',
    why: 'A client that does not send it is refused.',
  },
  memberBecameOptional: {
    text: 'member became optional',
    request: 'fine',
    response: 'breaking',
    why: 'A client that reads it may find nothing.',
  },
  membersClosed: { text: 'members that are not listed are no longer allowed', ...narrower },
  membersOpened: {
    text: 'members that are not listed are now allowed',
    request: 'fine',
    response: 'risky',
    why: 'A strict client may refuse what it was never told of.',
  },
  valueAdded: {
    text: 'value added',
    request: 'fine',
    response: 'risky',
    why: 'A client that lists the values may refuse a new one.',
  },
  valueRemoved: { text: 'value removed', ...narrower },
  valuesLimited: { text: 'values are now limited', ...narrower },
  valuesFreed: { text: 'values are no longer limited', ...wider },
  typeAdded: { text: 'type added', ...wider },
  typeRemoved: { text: 'type removed', ...narrower },
  typesLimited: { text: 'types are now limited', ...narrower },
  typesFreed: { text: 'types are no longer limited', ...wider },
  alternativeAdded: { text: 'alternative shape added', ...wider },
  alternativeRemoved: { text: 'alternative shape removed', ...narrower },
  limitTightened: { text: 'limit tightened', ...narrower },
  limitLoosened: {
    text: 'limit loosened',
    request: 'fine',
    response: 'risky',
    why: 'A client that reserves room for the old limit may fail.',
  },
  formatChanged: {
    text: 'pattern or format changed',
    request: 'breaking',
    response: 'risky',
    why: 'What was valid may not be any more.',
  },
  defaultChanged: {
    text: 'default changed',
    request: 'risky',
    response: 'fine',
    why: 'A client that leaves it out gets another behaviour.',
  },
  nothingAllowed: { text: 'nothing is allowed here any more', ...narrower },
  somethingAllowed: { text: 'values are now allowed here', ...wider },
  ruleUnread: {
    text: 'a conditional rule changed that this tool cannot read',
    request: 'risky',
    response: 'risky',
    why: 'Compare it by hand.',
  },
} as const satisfies Readonly<Record<string, ChangeKind>>;

/** Name of a kind of change. */
export type ChangeKindName = keyof typeof changeKinds;
