import { isRelayError, toRelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import type { Layout } from '../client/layout.ts';
import { failed, type Call } from './queue.ts';

/** Tells calls how many partitions their topic has, in the order in which they came. */
export interface Learner {
  /** `go` runs at once when the topic is known and nobody waits for it, else behind those that came before. */
  when(call: Call, go: (partitions: number) => void): void;
  close(): void;
}

interface Waiter {
  readonly call: Call;
  readonly go: (partitions: number) => void;
}

const lookAgainMs = 100;
/** A broker that has just started may not know a topic yet; after so long it does not exist, ms. */
const unknownMs = 1_000;

/** Makes the learner of one client: one question at a time for a topic, until the last call that waits for it is over. */
export const createLearner = (layout: Layout, clock: Clock): Learner => {
  const waiting = new Map<string, Waiter[]>();
  let closed = false;

  const end = (topic: string, each: (waiter: Waiter) => void): void => {
    const waiters = waiting.get(topic) ?? [];
    waiting.delete(topic);
    for (const waiter of waiters) if (!waiter.call.over) each(waiter);
  };

  /** False: it is to be asked again. */
  const ask = async (topic: string, unknownAt: number): Promise<boolean> => {
    try {
      const partitions = await layout.partitions(topic);
      end(topic, ({ go }) => go(partitions));
      return true;
    } catch (error) {
      const problem = toRelayError(error);
      const over = closed || (isRelayError(problem, 'bus_topic_unknown') && clock.monotonic() >= unknownAt);
      const left = (waiting.get(topic) ?? []).filter(({ call }) => !call.over);
      waiting.set(topic, left);
      for (const { call } of left) call.problem = problem;
      if (over || left.length === 0) end(topic, ({ call }) => failed(call, problem));
      return over || left.length === 0;
    }
  };

  const learn = async (topic: string): Promise<void> => {
    const unknownAt = clock.monotonic() + unknownMs;
    while (!(await ask(topic, unknownAt))) {
      await clock.sleep(lookAgainMs);
      if (!closed) await layout.refresh().catch(() => undefined);
    }
  };

  return {
    when(call, go) {
      const others = waiting.get(call.topic);
      if (others) return void others.push({ call, go });
      const known = layout.known(call.topic);
      if (known !== undefined) return go(known);
      waiting.set(call.topic, [{ call, go }]);
      void learn(call.topic);
    },
    close: () => {
      closed = true;
    },
  };
};
