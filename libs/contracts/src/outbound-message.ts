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
