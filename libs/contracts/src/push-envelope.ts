import { z } from 'zod';
import { canonicalId, idSchema } from './id.ts';

/** Value of `outbound-messages`: a transformed message for devices, in the form of a push. */
export const outboundMessageSchema = z.object({
  v: z.literal(1),
  /** Attributes of the push; `destination_id` names the integration. */
  attributes: z.record(z.string(), idSchema),
  /** The whole data, including `payload`. */
  data: z.looseObject({}),
});

export type OutboundMessage = z.infer<typeof outboundMessageSchema>;

/** Key of a message, so that each device fails and waits independently. */
export const outboundMessageKey = (integrationId: string, recipient: string): string => `${integrationId}:${recipient}`;

const id = z.union([z.string(), z.number()]).nullish();

/** A push message over HTTP (platform contract, push envelopes). Unknown members are kept. */
export const pushEnvelopeSchema = z.looseObject({
  message: z.looseObject({
    data: z.string().describe('base64 of a JSON text'),
    attributes: z.record(z.string(), z.unknown()).nullish(),
    messageId: id,
    message_id: id,
    publishTime: z.string().nullish(),
    publish_time: z.string().nullish(),
  }),
  subscription: z.string().nullish(),
  deliveryAttempt: z.number().int().nullish(),
});

export type PushEnvelope = z.infer<typeof pushEnvelopeSchema>;

/** The members of an envelope that handlers use, in either spelling. */
export interface PushMessage {
  /** base64 */
  readonly data: string;
  /** Without texts that have no meaning (`"None"`, empty). */
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageId: string | undefined;
  /** Message ids are unique only within a subscription. */
  readonly subscription: string | undefined;
  /** Number of deliveries, including this one; 1 when the sender does not count. */
  readonly attempt: number;
}

/** Attributes are always texts; the platform writes a missing value as `None`. */
const meaningful = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) && value !== '' && value !== 'None';

/** Parses an envelope. */
export const pushMessageOf = ({ message, subscription, deliveryAttempt }: PushEnvelope): PushMessage => {
  const messageId = message.messageId ?? message.message_id;
  return {
    data: message.data,
    attributes: Object.fromEntries(
      Object.entries(message.attributes ?? {}).flatMap(([name, value]) =>
        meaningful(value) ? [[name, canonicalId(String(value))]] : [],
      ),
    ),
    messageId:
      messageId === null || messageId === undefined || messageId === '' ? undefined : canonicalId(String(messageId)),
    subscription: subscription ?? undefined,
    attempt: Math.max(1, deliveryAttempt ?? 1),
  };
};
