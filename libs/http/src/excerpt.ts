import { cutText } from '@ranger-relay/errors';
import { mask, redact } from '@ranger-relay/runtime';

const secretName = /passw|secret|token|api-?_?key|private_key|authorization|credential|cookie/i;
const shortest = 4;

/** Values that were sent as secrets: they must not come back in an error text even when the other side repeats them. */
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
