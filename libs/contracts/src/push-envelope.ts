import { z } from 'zod';

/** Value of `outbound-messages`: a transformed message on its way to devices, as it would be pushed. */
export const outboundMessageSchema = z.object({
  v: z.literal(1),
  /** Of the push; `destination_id` names the integration. */
  attributes: z.record(z.string(), z.string()),
  /** The whole data, `payload` and all. */
  data: z.looseObject({}),
});

export type OutboundMessage = z.infer<typeof outboundMessageSchema>;

/** Key of a message: each device fails and waits alone. */
export const outboundMessageKey = (integrationId: string, recipient: string): string => `${integrationId}:${recipient}`;

const id = z.union([z.string(), z.number()]).nullish();

/** A push message as it comes over HTTP (platform contract, push envelopes). Unknown members pass. */
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

/** What is used of an envelope, whichever names its members came under. */
export interface PushMessage {
  /** base64 */
  readonly data: string;
  /** Texts without a meaning (`"None"`, empty) are left out. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageId: string | undefined;
  /** Message ids of two subscriptions have nothing to do with each other. */
  readonly subscription: string | undefined;
  /** Deliveries so far, this one included; 1 when the sender does not count. */
  readonly attempt: number;
}

/** Attributes are always texts, and the platform writes "none" as `None`. */
const meaningful = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) && value !== '' && value !== 'None';

/** Takes an envelope apart. */
export const pushMessageOf = ({ message, subscription, deliveryAttempt }: PushEnvelope): PushMessage => {
  const messageId = message.messageId ?? message.message_id;
  return {
    data: message.data,
    attributes: Object.fromEntries(
      Object.entries(message.attributes ?? {}).flatMap(([name, value]) =>
        meaningful(value) ? [[name, String(value)]] : [],
      ),
    ),
    messageId: messageId === null || messageId === undefined || messageId === '' ? undefined : String(messageId),
    subscription: subscription ?? undefined,
    attempt: Math.max(1, deliveryAttempt ?? 1),
  };
};
