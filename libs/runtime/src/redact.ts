import { cleanText, cutText, isRelayError } from '@ranger-relay/errors';

/** The replacement text of every secret. */
export const mask = '**********';

const secretKey = /passw|secret|token|api[_-]?key|private[_-]?key|authorization|credential|cookie|jwt|assertion/i;
/** Three base64url parts, the first of which starts like a JSON object. */
const webToken = /\beyJ[\w-]{6,}\.[\w-]+\.[\w-]*/g;
const address = /\b([a-z][a-z\d+.-]{0,20}:\/\/)([^\s/?#]*@)?([^\s?#]*)(\?[^\s#]*)?/gi;

const maxDepth = 8;
const maxMembers = 100;
/** Maximum values in one copy; bounds the work on objects that refer to each other. */
const maxValues = 5_000;
const maxStack = 4_000;
const maxMessage = 500;
const internalStatus = 500;

/** Masks web tokens in a text, and the user info and the query of every address; truncates it to `max` characters. */
export const redactText = (given: string, max = Infinity): string => {
  const text = cleanText(given).replaceAll(webToken, mask);
  const whole = text.includes('://')
    ? text.replaceAll(
        address,
        (_, scheme: string, user: string | undefined, rest: string, query: string | undefined) =>
          `${scheme}${user ? `${mask}@` : ''}${rest}${query ? `?${mask}` : ''}`,
      )
    : text;
  const kept = cutText(whole, max);
  return kept === whole ? whole : `${kept}… (${whole.length} characters)`;
};

interface Walk {
  readonly maxText: number;
  /** Whether errors show their stacks. */
  readonly stacks: boolean;
  left: number;
}

const isSecret = (key: string, value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== 'boolean' && secretKey.test(key);

const members = (value: object, depth: number, state: Walk): unknown =>
  Object.fromEntries(
    Object.entries(value)
      .slice(0, maxMembers)
      .map(([key, item]) => [cleanText(key), isSecret(key, item) ? mask : walk(item, depth - 1, state)]),
  );

/** A registered failure of another system needs no stack, nor do its causes: its message has all that its reader can act on. */
const isForeign = (error: Error): boolean => isRelayError(error) && error.status !== internalStatus;

const facts = (error: Error, depth: number, state: Walk): unknown => {
  const inner = isForeign(error) ? { ...state, stacks: false } : state;
  return {
    type: error.name,
    ...(isRelayError(error) ? { code: error.code, details: members(error.details, depth, state) } : {}),
    message: redactText(error.message, maxMessage),
    ...(inner.stacks ? { stack: redactText(error.stack ?? '', maxStack) } : {}),
    ...(error.cause === undefined ? {} : { cause: walk(error.cause, depth - 1, inner) }),
  };
};

const plain = (value: object): unknown => {
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value) as unknown) : value;
};

const walk = (given: unknown, depth: number, state: Walk): unknown => {
  if (typeof given === 'string') return redactText(given, state.maxText);
  if (given === null || typeof given !== 'object') return given;
  state.left -= 1;
  if (depth <= 0 || state.left < 0) return '[deep]';
  if (given instanceof Error) return facts(given, depth, state);
  const value = plain(given);
  if (value !== given) return walk(value, depth - 1, state);
  if (Array.isArray(value)) return value.slice(0, maxMembers).map((item) => walk(item, depth - 1, state));
  return members(given, depth, state);
};

/**
 * Copies a value without secrets: masks members with secret keys, and the user info and query of addresses (contracts, activity log: secret
 * fields). Errors become their facts without their own members; bytes become their number. Depth, members and lists are bounded, and texts
 * when `maxText` (characters) is given.
 */
export const redact = <T>(value: T, maxText = Infinity): T =>
  walk(value, maxDepth, { maxText, stacks: true, left: maxValues }) as T;
