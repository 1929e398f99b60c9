import { cutText, RelayError, toRelayError, type ErrorCode } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { withoutEchoes } from './echoes.ts';
import type { InboundFailure, InboundOutcome } from './outcome.ts';
import { vendorCode, type CodeConsequence } from './vendor-codes.ts';
import { readVendorError, type VendorError } from './vendor-error.ts';

type Verdict = readonly [kind: InboundFailure['kind'], error: ErrorCode];

/** One call, and what its answer must not be shown with. */
export interface CallFacts {
  readonly url: string;
  /** Credentials and text that were sent. */
  readonly secrets: readonly string[];
}

const bodyLength = 200;

const byCode: Readonly<Record<CodeConsequence, Verdict>> = {
  internal: ['transient', 'vendor_internal'],
  throttled: ['transient', 'vendor_throttled'],
  auth: ['transient', 'vendor_auth_refused'],
  time: ['transient', 'vendor_refused'],
  permanent: ['permanent', 'vendor_refused'],
};

/**
 * A refusal counts only in the vendor's own form, with a code; what else is below 500, a redirect too, is a gateway's or a portal's on the
 * way, so the call is worth another try.
 */
const byStatus = (status: number, isVendors: boolean): Verdict => {
  if (status === 401 || status === 403) return byCode.auth;
  if (status === 429) return byCode.throttled;
  if (isVendors && status >= 400 && status < 500) return byCode.permanent;
  return status < 500 || [502, 503, 504].includes(status) ? ['transient', 'vendor_unreachable'] : byCode.internal;
};

/** The vendor's words first: the activity log cuts long texts. */
const reasonOf = ({ target, status }: HttpAnswer, { code, words, imeis }: VendorError): string => {
  const meaning = vendorCode(code)?.meaning;
  const coded = code === null ? '' : `code ${code}${meaning === undefined ? '' : ` (${meaning})`}`;
  const devices = imeis.length === 0 ? '' : ` [${imeis.join(', ')}]`;
  const said = `${[coded, words].filter(Boolean).join(': ')}${devices}`.trim();
  const redirect = status >= 300 && status < 400 ? ' with a redirect, which is not followed' : '';
  return `${said === '' ? '' : `${said}; `}${target} answered ${status}${redirect}`;
};

/**
 * Whether the text may have been taken, whatever code the body names: a gateway gave up waiting for the vendor, or the status is no error
 * and contradicts the code.
 */
const isAmbiguous = (status: number, isKnownCode: boolean): boolean =>
  status === 504 || (isKnownCode && (status < 400 || status > 599));

/** What an answer means (device contract, sections 5 and 7): ambiguity comes first, then a known code, then the status. */
export const classifyAnswer = (answer: HttpAnswer, { url, secrets }: CallFacts): InboundOutcome => {
  const { status, retryAfterMs } = answer;
  const said = readVendorError(answer);
  const known = vendorCode(said.code);
  if (!known && status >= 200 && status < 300) return { kind: 'accepted', status };
  const [meant, code] = known ? byCode[known.consequence] : byStatus(status, said.code !== null);
  const kind = isAmbiguous(status, known !== undefined) ? 'ambiguous' : meant;
  const error = new RelayError(code, {
    details: { reason: withoutEchoes(reasonOf(answer, said), secrets), status, code: said.code },
    ambiguous: kind === 'ambiguous',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
  const body = cutText(withoutEchoes(answer.excerpt(10 * bodyLength), secrets), bodyLength);
  return { kind, error, status, code: said.code, body, url };
};

/** Only the HTTP client's own errors prove that nothing was sent; one that nobody expected proves nothing. */
const unanswered = (thrown: unknown): { kind: InboundFailure['kind']; error: RelayError } => {
  const known = toRelayError(thrown);
  const details = { reason: known.message };
  if (known.ambiguous || known.code === 'internal')
    return { kind: 'ambiguous', error: new RelayError('vendor_answer_lost', { details, ambiguous: true }) };
  if (known.next === 'alert') return { kind: 'permanent', error: known };
  return { kind: 'transient', error: new RelayError('vendor_unreachable', { details }) };
};

/**
 * What a call without a whole answer means: refused, lost, or not allowed to go where the address leads. An answer that began with 2xx is the
 * vendor's acceptance, whatever became of its body (device contract, section 5).
 */
export const classifyFailure = (thrown: unknown, url: string | undefined): InboundOutcome => {
  const status = Number(toRelayError(thrown).details['status']);
  if (status >= 200 && status < 300) return { kind: 'accepted', status };
  return { ...unanswered(thrown), status: null, code: null, body: '', url };
};
