import { Buffer } from 'node:buffer';
import { outboundMessageSchema, pushEnvelopeSchema, pushMessageOf, type DeadLetter } from '@ranger-relay/contracts';
import { z } from 'zod';

/** A push as its dead letter keeps it. */
export interface KeptPush {
  readonly attributes: Readonly<Record<string, string>>;
  readonly data: { readonly payload: Readonly<Record<string, unknown>>; readonly [member: string]: unknown };
  /** Of the envelope; null on a bus. */
  readonly messageId: string | null;
}

const dataSchema = z.looseObject({ payload: z.looseObject({}) });

const json = (base64: string): unknown => {
  try {
    return JSON.parse(Buffer.from(base64, 'base64').toString());
  } catch {
    return undefined;
  }
};

/** A letter keeps the envelope that was refused before the action ran, or else a record of `outbound-messages`. */
const opened = (
  body: unknown,
): { attributes: Record<string, string>; data: unknown; messageId: string | null } | undefined => {
  const record = outboundMessageSchema.safeParse(body).data;
  if (record) return { attributes: record.attributes, data: record.data, messageId: null };
  const envelope = pushEnvelopeSchema.safeParse(body).data;
  if (!envelope) return undefined;
  const { attributes, data, messageId = null } = pushMessageOf(envelope);
  return { attributes: { ...attributes }, data: json(data), messageId };
};

/** Reads what a dead letter of kind `push_message` keeps; undefined when it is no message to devices. */
export const readKept = ({ body_base64: body }: Pick<DeadLetter, 'body_base64'>): KeptPush | undefined => {
  const push = opened(json(body));
  const data = dataSchema.safeParse(push?.data).data;
  return push && data ? { ...push, data } : undefined;
};
