import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';

/** A push envelope (platform contract, section 3). */
export interface PushEnvelope {
  readonly message: {
    /** Base64 of JSON. */
    readonly data: string;
    readonly attributes?: Readonly<Record<string, string>>;
    readonly messageId?: string;
    readonly message_id?: string;
    readonly publishTime?: string;
    readonly publish_time?: string;
  };
  readonly subscription: string;
  readonly deliveryAttempt?: number;
}

/** Which spelling of the members an envelope has. */
export type Spelling = 'camel' | 'snake' | 'both';

/** Makes envelopes with growing message ids. */
export const envelopeMaker = (clock: Clock, random: Random, spelling: Spelling = 'camel') => {
  let made = 0;
  const subscription = `projects/sim/subscriptions/${random.uuid()}`;
  return (data: unknown, attributes?: Readonly<Record<string, string>>): PushEnvelope => {
    made += 1;
    const id = String(made);
    const time = new Date(clock.now()).toISOString();
    return {
      message: {
        data: Buffer.from(JSON.stringify(data)).toString('base64'),
        ...(attributes === undefined ? {} : { attributes }),
        ...(spelling === 'snake' ? {} : { messageId: id, publishTime: time }),
        ...(spelling === 'camel' ? {} : { message_id: id, publish_time: time }),
      },
      subscription,
    };
  };
};

/** Pushes that are no envelopes. */
export const malformedPushes: Readonly<Record<string, string>> = {
  notJson: 'data=1',
  noMessage: '{"subscription":"s"}',
  badBase64: '{"message":{"data":"%%%","messageId":"1"},"subscription":"s"}',
  dataNoJson: '{"message":{"data":"aGVsbG8=","messageId":"1"},"subscription":"s"}',
  dataNoObject: '{"message":{"data":"WzFd","messageId":"1"},"subscription":"s"}',
};
