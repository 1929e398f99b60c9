import { type Client, createClient, type Reply } from '../http/client.ts';
import { wait, type Clock } from '../time/clock.ts';
import { type Random, shuffle } from '../time/random.ts';
import type { PushEnvelope } from './envelope.ts';

const acks = new Set([102, 200, 201, 202, 204]);
const firstWaitMs = 10_000;
const maxWaitMs = 600_000;
const keptMs = 7 * 86_400_000;
const ackDeadlineMs = 600_000;

/** Outcome of a push. */
export interface Pushed {
  readonly acked: boolean;
  /** Status of each delivery, null when no answer came. */
  readonly statuses: readonly (number | null)[];
  readonly last: Reply;
}

/** The platform as a caller of our services (platform contract, sections 3 and 4). */
export interface Pusher {
  /** Delivers until acknowledged, or for seven days. */
  push(url: string, envelope: PushEnvelope): Promise<Pushed>;
  /** Delivers all of them at once in random order; `copies` of each, as an at-least-once bus does. */
  pushAll(url: string, envelopes: readonly PushEnvelope[], copies?: number): Promise<readonly Pushed[]>;
  /** One delivery of any body, without redelivery. */
  once(url: string, body: string): Promise<Reply>;
  /** Calls `POST {base}/v1/actions/execute`. */
  execute(baseUrl: string, command: object): Promise<Reply>;
  close(): void;
}

/** Dependencies of a pusher. */
export interface PusherOptions {
  /** Time between redeliveries; `fastClock` speeds it up. */
  readonly clock: Clock;
  readonly random: Random;
  readonly bearer?: string;
  /** Real milliseconds until a delivery without an answer counts as not acknowledged. */
  readonly deadlineMs?: number;
  /** Makes the deliveries; closed with the pusher. Default: over real connections. */
  readonly client?: Client;
}

/** Makes a pusher. */
export const createPusher = (options: PusherOptions): Pusher => {
  const { clock, random, bearer, deadlineMs = ackDeadlineMs, client = createClient() } = options;
  const headers = {
    'content-type': 'application/json',
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  };
  const once = (url: string, body: string): Promise<Reply> =>
    client.send({ method: 'POST', url, headers, body, timeoutMs: deadlineMs });

  const push = async (url: string, envelope: PushEnvelope): Promise<Pushed> => {
    const until = clock.now() + keptMs;
    const statuses: (number | null)[] = [];
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(maxWaitMs, waitMs * 2)) {
      const deliveryAttempt = statuses.length + 1;
      const last = await once(url, JSON.stringify({ ...envelope, deliveryAttempt }));
      statuses.push(last.status);
      const acked = last.status !== null && acks.has(last.status);
      if (acked || clock.now() + waitMs > until) return { acked, statuses, last };
      await wait(clock, waitMs);
    }
  };

  return {
    push,
    once,
    close: client.close,
    pushAll(url, envelopes, copies = 1) {
      const all = Array.from({ length: copies }, () => envelopes).flat();
      return Promise.all(shuffle(random, all).map((envelope) => push(url, envelope)));
    },
    execute: (baseUrl, command) => once(`${baseUrl.replace(/\/+$/, '')}/v1/actions/execute`, JSON.stringify(command)),
  };
};
