import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib';
import { cutText, RelayError } from '@ranger-relay/errors';
import { mask, redact } from '@ranger-relay/runtime';
import type { HttpAnswer } from './port.ts';

type Decoder = (body: Uint8Array, options: ZlibOptions) => Promise<Uint8Array>;

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify<Uint8Array, ZlibOptions, Uint8Array>(gunzip),
  'x-gzip': promisify<Uint8Array, ZlibOptions, Uint8Array>(gunzip),
  deflate: promisify<Uint8Array, ZlibOptions, Uint8Array>(inflate),
  br: promisify<Uint8Array, ZlibOptions, Uint8Array>(brotliDecompress),
};

/**
 * Decodes a body by its `Content-Encoding`, up to `limit` bytes; a body with an unknown encoding stays unchanged. `details.status` of an error
 * is that of the response, which stays valid although the body is unreadable.
 * @throws RelayError `http_body_too_large`, `http_body_unreadable`
 */
export const decodeBody = async (
  body: Uint8Array,
  encoding: string | undefined,
  { target, limit, status }: { readonly target: string; readonly limit: number; readonly status: number },
): Promise<Uint8Array> => {
  const name = encoding?.trim().toLowerCase() ?? '';
  const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (!decode || body.length === 0) return body;
  try {
    return await decode(body, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new RelayError('http_body_too_large', { details: { target, limit, status }, ambiguous: true });
    const problem = `${body.length} bytes that are not ${name}`;
    throw new RelayError('http_body_unreadable', { details: { target, problem, status }, ambiguous: true });
  }
};

const secretName = /passw|secret|token|api-?_?key|private_key|authorization|credential|cookie/i;
const shortest = 4;

/** Secrets in the sent members: an error text must not contain them, even when the server repeats them. */
export const secretsOf = (parts: Readonly<Record<string, string>>): string[] =>
  Object.entries(parts)
    .filter(([name]) => secretName.test(name))
    .flatMap(([, value]) => [value].concat(value.split(' ').slice(1)))
    .filter((value) => value.length >= shortest);

const namedSecret = /((?:passw\w*|secret|token|api[-_ ]?key|authorization|credential\w*)"?\s*[=:]\s*"?)[^\s"&,;}]+/gi;

const readable = (text: string): string => {
  try {
    return JSON.stringify(redact(JSON.parse(text) as unknown)) ?? '';
  } catch {
    return redact(text.replaceAll(/[^\P{Cc}\s]+/gu, ' ')).replaceAll(
      namedSecret,
      (_, name: string) => `${name}${mask}`,
    );
  }
};

const enough = 4_000;

/**
 * At most `max` characters of a body on one line, without secrets: members named like one, URL user info and queries, and the given values.
 */
export const excerptOf = (body: Uint8Array, max: number, secrets: readonly string[]): string => {
  const whole = new TextDecoder().decode(body.length > 65_536 ? body.subarray(0, 65_536) : body);
  const known = secrets.reduce((text, secret) => text.replaceAll(secret, mask), cutText(readable(whole), enough));
  const line = known.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return cutText(line, max, '…');
};

/** The parts of a response. */
interface ResponseOptions {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
  readonly target: string;
  readonly retryAfterMs: number | undefined;
  /** Values that excerpts must not show. */
  readonly secrets: readonly string[];
}

const flat = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Creates a response; the secrets stay in its closures. */
export const makeAnswer = ({ secrets, headers, body, target, ...rest }: ResponseOptions): HttpAnswer => ({
  ...rest,
  headers: flat(headers),
  body,
  target,
  json() {
    try {
      return JSON.parse(decoder.decode(body)) as unknown;
    } catch {
      const problem = body.length === 0 ? 'it is empty' : `${body.length} bytes that do not parse`;
      throw new RelayError('http_body_unreadable', { details: { target, problem }, ambiguous: true });
    }
  },
  excerpt: (max = 200) => excerptOf(body, max, secrets),
});
