import { partitionOf } from '../../partitioner.ts';
import type { Bus, ConsumeOptions, Outcome, Subscription } from '../../port.ts';
import { consumed, type ContractCase, type Decide, events, Inbox, letters, second } from './inbox.ts';

const wait: Outcome = { kind: 'retry', afterMs: 60_000 };
const keys = Array.from({ length: 40 }, (_, n) => `key-${n}`);

interface Together {
  readonly inboxes: readonly [Inbox, Inbox];
  readonly subscriptions: readonly [Subscription, Subscription];
}

const optionsOf = (topic: string, inbox: Inbox, decide?: Decide): ConsumeOptions =>
  consumed({ topic, lane: ({ key }) => key, from: 'earliest' }, inbox, decide);

/** Consumes both topics together; the lanes are the keys. */
const consumeBoth = async (bus: Bus, decideSecond?: Decide): Promise<Together> => {
  const inboxes = [new Inbox(), new Inbox()] as const;
  const subscriptions = await bus.consumeTogether(
    optionsOf(events.name, inboxes[0]),
    optionsOf(second.name, inboxes[1], decideSecond),
  );
  return { inboxes, subscriptions };
};

const undoneOf = ([, { undone }]: Together['subscriptions'], key: string): boolean | null =>
  undone(partitionOf(key, second.partitions))?.has(key) ?? null;

/** Cases of members that consume two topics together. */
export const togetherCases: readonly ContractCase[] = [
  {
    name: 'a member has the same partitions of two topics, also after members come and go, and nothing of either is lost or done twice',
    async run(t, { bus, beside }, { consumesBeside }) {
      const inboxes: (readonly [Inbox, Inbox])[] = [];
      const join = async (client: Bus): Promise<Together> => {
        const joined = await consumeBoth(client);
        inboxes.push(joined.inboxes);
        return joined;
      };
      const first = await join(bus);
      const other = consumesBeside ? await join(await beside()) : undefined;
      const members = other ? [first, other] : [first];
      const isSettled = (): boolean =>
        members.every(
          ({ subscriptions: [one, two] }) =>
            one.ready() && two.ready() && one.assigned().length === events.partitions / members.length,
        );
      for (const round of ['a', 'b']) {
        await first.inboxes[0].until(isSettled, `${members.length} members with as many partitions`);
        for (const { subscriptions } of members)
          await first.inboxes[0].until(
            () => String(subscriptions[0].assigned().toSorted()) === String(subscriptions[1].assigned().toSorted()),
            'the same partitions of both topics',
          );
        for (const { name } of [events, second])
          await bus.publish(
            name,
            keys.map((key) => ({ key, value: `${name} ${key} ${round}` })),
          );
        const done = (at: 0 | 1): string[] => inboxes.flatMap((each) => each[at].texts);
        const all = (): boolean =>
          ([0, 1] as const).every((at) => done(at).length >= keys.length * (round === 'a' ? 1 : 2));
        await first.inboxes[0].until(all, 'all records').catch(() => undefined);
        for (const at of [0, 1] as const) {
          t.is(new Set(done(at)).size, keys.length * (round === 'a' ? 1 : 2));
          t.is(done(at).length, new Set(done(at)).size);
        }
        if (round === 'a' && other) {
          for (const inbox of inboxes) {
            const [one, two] = inbox.map(({ records }) =>
              [...new Set(records.map(({ partition }) => partition))].toSorted(),
            );
            t.deepEqual(one, two);
          }
          await other.subscriptions[1].close();
          members.pop();
        }
      }
    },
  },
  {
    name: 'what is undone in a partition is known as soon as it is read, by lane, and goes when it is done',
    async run(t, { bus, reopen }) {
      await bus.publish(second.name, [...letters('fails', 'f1', 'f2'), ...letters('works', 'w1')]);
      const { inboxes, subscriptions } = await consumeBoth(bus, (text) => (text.startsWith('f') ? wait : undefined));
      await inboxes[1].until(() => undoneOf(subscriptions, 'works') === false, 'the end of the partition');
      t.is(undoneOf(subscriptions, 'fails'), true);
      t.is(undoneOf(subscriptions, 'nobody'), false);
      t.is(subscriptions[1].undone(99), null);
      const next = await consumeBoth(await reopen());
      await next.inboxes[1].seen('f2');
      await next.inboxes[1].until(() => undoneOf(next.subscriptions, 'fails') === false, 'the end of what is undone');
      t.deepEqual(next.inboxes[1].texts, ['f1', 'f2']);
    },
  },
  {
    name: 'many records in front of those of a lane hide nothing: it is unknown until they are read',
    async run(t, { bus }) {
      const many = Array.from({ length: 3_000 }, (_, n) => ({ key: 'many', value: `${n}` }));
      for (let at = 0; at < many.length; at += 500) await bus.publish(second.name, many.slice(at, at + 500));
      const key = keys.find((each) => partitionOf(each, 4) === partitionOf('many', 4)) ?? '';
      await bus.publish(second.name, letters(key, 'last'));
      const seen: (boolean | null)[] = [];
      const joined = await consumeBoth(bus, () => wait);
      await joined.inboxes[1].until(() => {
        const now = undoneOf(joined.subscriptions, key);
        if (seen.at(-1) !== now) seen.push(now);
        return now === true;
      }, 'the last record');
      t.false(seen.includes(false));
    },
  },
];
