import { pushEnvelopeSchema, pushMessageOf, type PushMessage } from '@ranger-relay/contracts';
import type { MessageRef } from '../execute/request.ts';
import type { Body } from './body.ts';
import { readBase64, readJson } from './json.ts';
import { bad, ok, readAs, type Read } from './malformed.ts';

/** A push message with what its data decodes to. */
export interface Pushed extends PushMessage {
  readonly bytes: Uint8Array;
}

/** Where the data of an envelope stands. */
export const dataLoc = ['body', 'message', 'data'] as const;
/** Where its attributes stand. */
export const attributesLoc = ['body', 'message', 'attributes'] as const;

/** The message of an envelope as the runtime knows it; undefined without an id. @param endpoint path that it came on */
export const messageOf = (
  endpoint: string,
  { subscription = '' }: Pick<Pushed, 'subscription'>,
  id: string | undefined,
): MessageRef | undefined => (id === undefined ? undefined : { from: `${endpoint} ${subscription}`.trimEnd(), id });

/** Opens an envelope up to the bytes of its data (platform contract, push envelopes). */
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

/** The data of an envelope as a JSON object. */
export const readData = ({ bytes }: Pushed): Read<Readonly<Record<string, unknown>>> => {
  const json = readJson(bytes, dataLoc);
  if (!json.ok) return json;
  const { value } = json;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return ok(value as Record<string, unknown>);
  return bad(dataLoc, 'This is not an object', 'dict_type');
};
