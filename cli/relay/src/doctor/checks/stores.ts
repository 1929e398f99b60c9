import type { Bus } from '@ranger-relay/bus';
import type { TopicKeeper } from '@ranger-relay/bus/kafka';
import { topics } from '@ranger-relay/contracts';
import type { KeyValue } from '@ranger-relay/kv';
import { forwarderGroup } from '@ranger-relay/observation-forwarder';
import type { Random } from '@ranger-relay/runtime';
import { plural } from '@ranger-relay/terminal';
import { failed, ok, type Check } from '../finding.ts';

/** Whether the brokers have the topics as they should be. */
export const topicsCheck = (open: () => TopicKeeper): Check => ({
  name: 'bus',
  async ask() {
    const keeper = open();
    try {
      const states = await keeper.check();
      const bad = states.filter(({ problems }) => problems.length > 0);
      if (bad.length === 0) return [ok('bus', `the brokers answer and have ${plural(states.length, 'topic')}`)];
      return bad.map(({ name, problems }) =>
        failed(
          'bus',
          `${name} ${problems.join('; ')}`,
          'Run `ranger-relay topics apply`, or have it changed by who may.',
        ),
      );
    } finally {
      await keeper.close();
    }
  },
});

/** Whether the bus file of this machine can be read. */
export const busFileCheck = (open: () => Promise<Bus>): Check => ({
  name: 'bus',
  async ask() {
    const bus = await open();
    try {
      const pending = await bus.pending(topics.sourceEvents.name, forwarderGroup);
      const waiting = pending.reduce((sum, { count }) => sum + count, 0);
      return [
        ok('bus', `the file of this machine can be read; ${plural(waiting, 'event')} on the way to the platform`),
      ];
    } finally {
      await bus.close();
    }
  },
});

/** A store, and what its two spaces are called for people. */
export interface NamedStore {
  readonly open: () => Promise<KeyValue>;
  /** Such as `databases 0 and 1`. */
  readonly spaces: string;
}

const roundTripMs = 30_000;

/** Writes, reads and removes a value, and sees to it that the two spaces are two. */
export const storeCheck = ({ open, spaces }: NamedStore, random: Random): Check => ({
  name: 'key-value store',
  async ask() {
    const kv = await open();
    const name = 'key-value store';
    const key = `doctor.${random.uuid()}`;
    try {
      await kv.state.set(key, 'here', { ttlMs: roundTripMs });
      const [back, elsewhere] = await Promise.all([kv.state.get(key), kv.config.get(key)]);
      await kv.state.delete(key);
      if (back !== 'here')
        return [failed(name, 'what is written cannot be read back', 'Whether KV_HOST names a replica or a proxy.')];
      if (elsewhere !== null)
        return [failed(name, `${spaces} are the same`, 'KV_STATE_DB and KV_CONFIGS_DB must differ.')];
      return [ok(name, `takes and gives values; ${spaces}`)];
    } finally {
      await kv.close();
    }
  },
});
