import type { Clock, Random } from '@ranger-relay/runtime';

/** A text that a person at the site sends to a device. */
export interface SiteText {
  readonly text: string;
  /** Number of the device. */
  readonly to: string;
  /** E-mail address or number. */
  readonly sender: string;
  /** Integration of the device. */
  readonly integration: string;
}

/** A push of the platform, ready to be posted. */
export interface TextPush {
  readonly deliveryId: string;
  readonly body: object;
}

const sampled = '01';

/** The push with which the platform hands over a text (device contract, section 7). Every one is another delivery, in a trace of its own. */
export const textPush = (
  { text, to, sender, integration }: SiteText,
  clock: Pick<Clock, 'now'>,
  random: Pick<Random, 'uuid'>,
): TextPush => {
  const at = new Date(clock.now()).toISOString();
  const deliveryId = random.uuid();
  const hex = (digits: number): string => random.uuid().replaceAll('-', '').slice(0, digits);
  const data = {
    event_id: deliveryId,
    timestamp: at,
    schema_version: 'v1',
    event_type: 'MessageTransformedText',
    payload: { Message: text, Recipients: [to], Sender: sender, Timestamp: at },
  };
  const attributes = {
    destination_id: integration,
    delivery_id: deliveryId,
    stream_type: 'txt',
    tracing_context: JSON.stringify({ traceparent: `00-${hex(32)}-${hex(16)}-${sampled}` }),
  };
  const message = {
    data: Buffer.from(JSON.stringify(data)).toString('base64'),
    attributes,
    messageId: random.uuid(),
    publishTime: at,
  };
  return { deliveryId, body: { message, subscription: 'simulated', deliveryAttempt: 1 } };
};
