import { cleanText, cutText, type ErrorCode, isObject, RelayError, toRelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { mask } from '@ranger-relay/runtime';
import type { InboundFailure, InboundOutcome } from './outcome.ts';

const shortest = 4;
/** Minimum length of a run of characters that counts as part of a secret. */
const part = 12;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The forms of a secret in JSON, in HTML and in a text on one line. */
const formsOf = (secret: string): string[] => {
  const line = secret.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const forms = [secret, line, JSON.stringify(secret).slice(1, -1), JSON.stringify(line).slice(1, -1)];
  const html = [secret, line].map((form) => form.replaceAll(/[&<>"']/g, (sign) => escapes[sign] ?? sign));
  return [...new Set([...forms, ...html])].filter((form) => form.length >= shortest);
};

const piecesOf = (form: string): string[] =>
  Array.from({ length: Math.max(0, form.length - part + 1) }, (_, at) => form.slice(at, at + part));

const markAll = (text: string, piece: string, hidden: boolean[]): void => {
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1))
    hidden.fill(true, at, at + piece.length);
};

/**
 * Masks the secrets that were sent in a text of the vendor: each secret, its forms in JSON and HTML, and longer parts of them. Does not
 * mask secrets of fewer than four characters, because they also occur by chance.
 */
export const withoutEchoes = (text: string, secrets: readonly string[]): string => {
  const hidden = Array.from({ length: text.length }, () => false);
  for (const form of secrets.flatMap(formsOf)) {
    markAll(text, form, hidden);
    for (const piece of new Set(piecesOf(form))) markAll(text, piece, hidden);
  }
  return Array.from(hidden, (is, at) => (is ? (hidden[at - 1] ? '' : mask) : text.charAt(at))).join('');
};

/** How to react to an error code of the vendor (device contract, section 5). */
type CodeConsequence = 'internal' | 'throttled' | 'auth' | 'time' | 'permanent';

/** One error code of the vendor. */
interface VendorCode {
  readonly meaning: string;
  readonly consequence: CodeConsequence;
}

const permanent = (meaning: string): VendorCode => Object.freeze({ meaning, consequence: 'permanent' });

const table: ReadonlyMap<number, VendorCode> = new Map([
  [1, Object.freeze({ meaning: 'internal error', consequence: 'internal' })],
  [2, Object.freeze({ meaning: 'too many requests', consequence: 'throttled' })],
  [3, Object.freeze({ meaning: 'authentication', consequence: 'auth' })],
  [4, permanent('unknown device')],
  [5, permanent('message length')],
  // Texts from before 2011 are refused before the call, so this code means a time in the future, which will pass.
  [6, Object.freeze({ meaning: 'timestamp', consequence: 'time' })],
  [7, permanent('sender')],
  [8, permanent('altitude')],
  [9, permanent('speed')],
  [10, permanent('course')],
  [11, permanent('position')],
  [12, permanent('interval')],
  [13, permanent('location type')],
  [14, permanent('label')],
  [15, permanent('emergency action')],
  [16, permanent('binary type')],
  [17, permanent('payload')],
]);

/** The known meaning of a code; undefined for an undocumented code. */
export const vendorCode = (code: number | null): VendorCode | undefined =>
  code === null ? undefined : table.get(code);

/** The content of an error body; empty when it is not readable. */
interface VendorError {
  readonly code: number | null;
  /** The more useful one of `Message` and `Description`, on one line. */
  readonly words: string;
  readonly imeis: readonly string[];
}

const maxLength = 300;
const maxImeis = 20;

const nothing: VendorError = Object.freeze({ code: null, words: '', imeis: Object.freeze([]) });

const codeOf = (value: unknown): number | null => {
  if (typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value)) return Number(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
};

const lineOf = (value: unknown): string =>
  typeof value === 'string'
    ? cleanText(
        value
          .slice(0, 2 * maxLength)
          .replaceAll(/[\s\p{Cc}]+/gu, ' ')
          .trim(),
        maxLength,
      )
    : '';

const imeisOf = (value: unknown): string[] => {
  const list: unknown[] = Array.isArray(value) ? value.slice(0, maxImeis) : [value];
  return list
    .map((one) => (typeof one === 'number' ? String(one) : one))
    .filter((one): one is string => typeof one === 'string' && /^\d{1,20}$/.test(one));
};

/** The JSON of a body: null for an empty one, undefined for another text, such as a web page. */
const contentOf = (answer: HttpAnswer): unknown => {
  if (new TextDecoder().decode(answer.body).trim() === '') return null;
  try {
    return answer.json();
  } catch {
    return undefined;
  }
};

/** Reads an error body, which may be absent, HTML, or JSON that is not an object (device contract, section 5). */
const readVendorError = (body: unknown): VendorError => {
  if (!isObject(body)) return nothing;
  const words = [lineOf(body['Message']), lineOf(body['Description'])].filter(Boolean);
  return {
    code: codeOf(body['Code']),
    words: [...new Set(words)].join(': '),
    imeis: imeisOf(body['IMEI'] ?? body['Recipients']),
  };
};

type Verdict = readonly [kind: InboundFailure['kind'], error: ErrorCode];

/** One call, and the secrets that its response must not reveal. */
interface CallFacts {
  readonly url: string;
  /** The credentials and the text that were sent. */
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
 * Classifies by HTTP status. Only a body in the vendor's own form, with a code, counts as a refusal. Any other status below 500, including
 * a redirect, comes from a gateway or captive portal, so a retry may succeed.
 */
const byStatus = (status: number, isVendors: boolean): Verdict => {
  if (status === 401 || status === 403) return byCode.auth;
  if (status === 429) return byCode.throttled;
  if (isVendors && status >= 400 && status < 500) return byCode.permanent;
  return status < 500 || [502, 503, 504].includes(status) ? ['transient', 'vendor_unreachable'] : byCode.internal;
};

/** Puts the vendor's text first, because the activity log truncates long texts. */
const reasonOf = ({ target, status }: HttpAnswer, { code, words, imeis }: VendorError): string => {
  const meaning = vendorCode(code)?.meaning;
  const coded = code === null ? '' : `code ${code}${meaning === undefined ? '' : ` (${meaning})`}`;
  const devices = imeis.length === 0 ? '' : ` [${imeis.join(', ')}]`;
  const said = `${[coded, words].filter(Boolean).join(': ')}${devices}`.trim();
  const redirect = status >= 300 && status < 400 ? ' with a redirect, which is not followed' : '';
  return `${said === '' ? '' : `${said}; `}${target} answered ${status}${redirect}`;
};

/**
 * Whether the vendor may have accepted the text, whatever code the body contains: a gateway timed out, or the status is not an error and
 * contradicts the code.
 */
const isAmbiguous = (status: number, isKnownCode: boolean): boolean =>
  status === 504 || (isKnownCode && (status < 400 || status > 599));

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** A sign-in page, a captive portal or a mistyped host: whether the vendor got the call as well is not known. */
const notTheVendors: Verdict = ['ambiguous', 'vendor_web_page'];

/** Classifies a response (device contract, sections 5 and 7): ambiguity first, then a known code, then the status. */
export const classifyAnswer = (answer: HttpAnswer, { url, secrets }: CallFacts): InboundOutcome => {
  const { status, retryAfterMs } = answer;
  const content = contentOf(answer);
  const said = readVendorError(content);
  const known = vendorCode(said.code);
  if (!known && isSuccess(status) && content !== undefined) return { kind: 'accepted', status };
  const unknown = isSuccess(status) ? notTheVendors : byStatus(status, said.code !== null);
  const [meant, code] = known ? byCode[known.consequence] : unknown;
  const kind = isAmbiguous(status, known !== undefined) ? 'ambiguous' : meant;
  const error = new RelayError(code, {
    details: { reason: withoutEchoes(reasonOf(answer, said), secrets), status, code: said.code },
    ambiguous: kind === 'ambiguous',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
  const body = cutText(withoutEchoes(answer.excerpt(10 * bodyLength), secrets), bodyLength);
  return { kind, error, status, code: said.code, body, url };
};

/** Only known errors of the HTTP client prove that nothing was sent; an unexpected error does not. */
const unanswered = (thrown: unknown): { kind: InboundFailure['kind']; error: RelayError } => {
  const known = toRelayError(thrown);
  const details = { reason: known.message };
  if (known.ambiguous || known.code === 'internal')
    return { kind: 'ambiguous', error: new RelayError('vendor_answer_lost', { details, ambiguous: true }) };
  if (known.next === 'alert') return { kind: 'permanent', error: known };
  return { kind: 'transient', error: new RelayError('vendor_unreachable', { details }) };
};

/**
 * Classifies a call without a complete response: refused, lost, or not permitted for its address. A body that broke off may be that of a web
 * page, so a response that began with 2xx is lost like any other.
 */
export const classifyFailure = (thrown: unknown, url: string | undefined): InboundOutcome => ({
  ...unanswered(thrown),
  status: null,
  code: null,
  body: '',
  url,
});
