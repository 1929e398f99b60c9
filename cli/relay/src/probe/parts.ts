import type { Bus } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import type { KvSpace } from '@ranger-relay/kv';
import { type Clock, commonEnv, type Env, type EnvTable, kafkaEnv, kinds, type Random } from '@ranger-relay/runtime';
import { readLetter, type StoredLetter } from '@ranger-relay/service';
import { eventIdIn } from '../dlq/letters.ts';
import { dataDirEnv } from '../program/open-stores.ts';
import type { Post } from '../simulate/post.ts';
import type { ProbeEvent } from './event.ts';

/** Variables of `probe`, beside those of bus and store. */
export const probeEnv = {
  PROBE_URL: { kind: kinds.url(), description: 'Address of the webhook; that of the `up` of DATA_DIR when not set' },
  PROBE_INTEGRATION: { kind: kinds.text(100), description: 'Integration that the test event is of' },
  PROBE_TOKEN: { kind: kinds.text(4_096), secret: true, description: 'Token of that integration at the webhook' },
  WEBHOOK_TOKENS_FILE: {
    kind: kinds.path(),
    description: 'Token file of the webhook; supplies integration and token when they are not set',
  },
  INGESTER_PORT: {
    kind: kinds.port(),
    default: '8081',
    description: 'Port of a webhook ingester that runs alone on this machine',
  },
  ...dataDirEnv,
  KAFKA_BROKERS: kafkaEnv.KAFKA_BROKERS,
  INTEGRATION_EVENTS_TOPIC: commonEnv.INTEGRATION_EVENTS_TOPIC,
} as const satisfies EnvTable;

/** Parsed variables of `probe`. */
export type ProbeEnv = Env<typeof probeEnv>;

/** The dead letter of an event; undefined when there is none. @throws RelayError of the bus; whatever `signal` was aborted with */
export const letterOfEvent = async (
  bus: Pick<Bus, 'read'>,
  { integration, eventId }: { readonly integration: string; readonly eventId: string },
  signal: AbortSignal,
): Promise<StoredLetter | undefined> => {
  for await (const record of bus.read({ topic: topics.deadLetters.name, signal })) {
    const letter = readLetter(record);
    if (letter?.integration_id === integration && eventIdIn(letter) === eventId) return letter;
  }
  // An aborted reading has not seen the rest.
  signal.throwIfAborted();
  return undefined;
};

/** Goal of a probe. */
export const goals = ['ready', 'stored', 'accepted'] as const;

export type Goal = (typeof goals)[number];

/** Dependencies of every step. */
export interface StepDependencies {
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted at the deadline or on interrupt. */
  readonly signal: AbortSignal;
  /** Current wait, for display. */
  readonly tell: (what: string) => void;
  /** Address of the webhook. */
  readonly url: string;
}

/** Dependencies of sending an event. */
export interface ProbeDependencies extends StepDependencies {
  readonly post: Post;
}

/** Sources for the state of an event. */
export interface Sight {
  readonly bus: Pick<Bus, 'read' | 'pending'>;
  /** The state space of the store. */
  readonly state: Pick<KvSpace, 'get'>;
}

/** A test event and its integration. */
export interface Sent extends ProbeEvent {
  readonly integration: string;
}
