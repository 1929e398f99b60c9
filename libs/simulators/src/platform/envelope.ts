import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';

/** A push envelope (platform contract, section 3). */
export interface PushEnvelope {
  readonly message: {
    /** Base64 of JSON. */
    readonly data: string;
    readonly attributes?: Readonly<Record<string, string>>;
    readonly messageId: string;
    readonly publishTime: string;
  };
  readonly subscription: string;
  readonly deliveryAttempt?: number;
}

/** Makes envelopes with growing message ids. */
export const envelopeMaker = (clock: Clock, random: Random) => {
  let made = 0;
  const subscription = `projects/sim/subscriptions/${random.uuid()}`;
  return (data: unknown, attributes?: Readonly<Record<string, string>>): PushEnvelope => {
    made += 1;
    return {
      message: {
        data: Buffer.from(JSON.stringify(data)).toString('base64'),
        ...(attributes === undefined ? {} : { attributes }),
        messageId: String(made),
        publishTime: new Date(clock.now()).toISOString(),
      },
      subscription,
    };
  };
};

/** Makes the data of config events (platform contract, section 1); their type also travels in the attribute `event_type`. */
export const configEvents = (clock: Clock, random: Random) => {
  const event = (event_type: string, payload: object) => ({
    event_id: random.uuid(),
    timestamp: new Date(clock.now()).toISOString().replace('T', ' ').replace('Z', '000+00:00'),
    schema_version: 'v1',
    event_type,
    payload,
  });
  return {
    integrationUpdated: (id: string, changes: object) => event('IntegrationUpdated', { id, alt_id: id, changes }),
    actionConfigUpdated: (id: string, integration_id: string, action: string, data: object) =>
      event('ActionConfigUpdated', { id, alt_id: action, integration_id, changes: { data } }),
  };
};
