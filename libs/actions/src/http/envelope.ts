import { pushEnvelopeSchema, type PushMessage, pushMessageOf } from '@ranger-relay/contracts';
import { isObject } from '@ranger-relay/errors';
import type { MessageRef } from '../execute/request.ts';
import type { Body } from './body.ts';
import { bad, type Detail, ok, type Read, readAs } from './malformed.ts';

const deepest = 64;

/** Whether lists and objects are nested deeper than the limit; checked without recursion. */
const isTooDeep = (value: unknown): boolean => {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      if (depth >= deepest) return true;
      for (const item of Object.values(each)) next.push(item);
    }
    level = next;
  }
  return false;
};

/** Parses bytes as JSON of bounded depth. */
export const readJson = (bytes: Uint8Array, loc: Detail['loc']): Read<unknown> => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bad(loc, 'This is not UTF-8', 'unicode_invalid');
  }
  try {
    const value = JSON.parse(text) as unknown;
    return isTooDeep(value) ? bad(loc, `This is nested deeper than ${deepest}`, 'too_deep') : ok(value);
  } catch {
    return bad(loc, text === '' ? 'Field required' : 'This is not JSON', text === '' ? 'missing' : 'json_invalid');
  }
};

const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Decodes base64, standard or URL-safe, with or without padding. */
const readBase64 = (text: string, loc: Detail['loc']): Read<Uint8Array> => {
  const bare = text.replaceAll(/\s/g, '');
  const padding = bare.endsWith('==') ? 2 : Number(bare.endsWith('='));
  if (!base64.test(bare) || (bare.length - padding) % 4 === 1) return bad(loc, 'This is not base64', 'base64_invalid');
  return ok(Buffer.from(bare, 'base64'));
};

/** A push message with its decoded data. */
export interface Pushed extends PushMessage {
  readonly bytes: Uint8Array;
}

/** Location of the data in an envelope. */
export const dataLoc = ['body', 'message', 'data'] as const;
/** Location of the attributes in an envelope. */
export const attributesLoc = ['body', 'message', 'attributes'] as const;

/** The identity of an envelope's message; undefined when it has no id. @param endpoint path that received it */
export const messageOf = (
  endpoint: string,
  { subscription = '' }: Pick<Pushed, 'subscription'>,
  id: string | undefined,
): MessageRef | undefined => (id === undefined ? undefined : { from: `${endpoint} ${subscription}`.trimEnd(), id });

/** Parses an envelope and decodes the bytes of its data (platform contract, push envelopes). */
export const readEnvelope = ({ bytes, tooLarge }: Pick<Body, 'bytes' | 'tooLarge'>): Read<Pushed> => {
  if (tooLarge) return bad(['body'], 'This is too large', 'too_large');
  const json = readJson(bytes, ['body']);
  if (!json.ok) return json;
  const envelope = readAs(pushEnvelopeSchema, json.value, ['body']);
  if (!envelope.ok) return envelope;
  const message = pushMessageOf(envelope.value);
  const data = readBase64(message.data, dataLoc);
  return data.ok ? ok({ ...message, bytes: data.value }) : data;
};

/** Parses the data of an envelope as a JSON object. */
export const readData = ({ bytes }: Pushed): Read<Readonly<Record<string, unknown>>> => {
  const json = readJson(bytes, dataLoc);
  if (!json.ok) return json;
  return isObject(json.value) ? ok(json.value) : bad(dataLoc, 'This is not an object', 'dict_type');
};
