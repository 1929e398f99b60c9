import test from 'ava';
import { followBus } from './harness/bus-history.ts';
import { check } from './harness/checker.ts';
import { startCluster, type Cluster, type Replica } from './harness/cluster.ts';
import { nameOf } from './harness/in-flight.ts';
import { tellKill, type Kill, type Victim, type VictimKind } from './harness/killer.ts';
import { ingestLogItems } from './harness/platform.ts';
import { explainRepeats } from './harness/repeats.ts';
import { maxDurationMs, checkUnderKills, latenessOf, owedOf, sizeOf } from './harness/set-checking.ts';

const parks = ['aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000002'] as const;
const size = sizeOf(12_000, 10);
let cluster: Cluster | undefined;

test.after.always(() => cluster?.remove());

const victimOf = (kind: VictimKind, { kill, start }: Pick<Replica, 'kill' | 'start'>): Victim => ({
  kind,
  kill: () => kill(),
  start: () => start(),
});

const victimsOf = ({ ingesters, forwarders, kafka, redis }: Cluster): Victim[] => [
  ...ingesters.map((replica) => victimOf('ingester', replica)),
  ...forwarders.map((replica) => victimOf('forwarder', replica)),
  ...kafka.brokers.map((broker) => victimOf('broker', broker)),
  victimOf('redis', redis),
];

const byVictim = (kills: readonly Kill[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { victim } of kills) counts[victim] = (counts[victim] ?? 0) + 1;
  return counts;
};

test.serial(
  'whoever of the cluster is killed when: nothing is lost, the order holds, and every repeat was in flight or lost its mark',
  async (t) => {
    t.timeout(maxDurationMs(size));
    t.log(`seed ${size.seed}`);
    cluster = await startCluster(parks, { ingesters: 2, forwarders: 2 });
    const { platform, webhookUrls, token, kafka, ingesters, forwarders } = cluster;
    const bus = await followBus(kafka.addresses);
    const {
      sent: all,
      kills,
      lines,
      troubles,
    } = await checkUnderKills({
      ...size,
      platform,
      webhookUrls,
      token,
      integrations: parks,
      victims: victimsOf(cluster),
      downMs: 2_000,
      pauseMs: 150,
    });
    const history = await bus.history();
    const repeats = explainRepeats(lines, kills, history);
    const sent = owedOf(all, size.failing);
    const found = check(sent, ingestLogItems(lines), { count: kills.length, inFlight: repeats.inFlightAtKills });
    const report = { ...found, ...repeats, kills: byVictim(kills), parked: history.parked };
    const { unexplained, ...counts } = report;
    t.log(`${troubles} troubles; others late: ${JSON.stringify(latenessOf(sent, lines, kills, size.failing))}`);
    t.log(`set checker: ${JSON.stringify({ seed: size.seed, ...counts, unexplained: unexplained.length })}`);
    for (const example of found.examples.filter((text) => text.startsWith('lost: ')))
      t.log(
        example,
        lines
          .filter((line) => nameOf(line) === example.slice(6))
          .map(({ at, status, outcome, answered, item }) =>
            JSON.stringify([
              new Date(at).toISOString(),
              status,
              outcome,
              answered,
              item.additional['delivery_attempt'],
            ]),
          )
          .join(' ') || 'never came',
      );
    if (unexplained.length > 0)
      t.log(`unexplained: ${unexplained.slice(0, 10).join('\n')}`, `kills: ${kills.map(tellKill).join('; ')}`);

    t.is(kills.length, size.kills);
    t.deepEqual(Object.keys(report.kills).sort(), ['broker', 'forwarder', 'ingester', 'redis']);
    t.true(found.acknowledged >= size.events);
    t.is(found.lost, 0, 'lost');
    t.is(found.orderViolations, 0, 'order violations');
    t.is(found.messageFirst, 0, 'messages before the first observation');
    t.deepEqual(unexplained.slice(0, 20), [], 'repeats that nothing explains');
    t.true(repeats.repeatsInFlight <= repeats.inFlightAtKills);
    t.true(repeats.repeatsByRedis <= repeats.exposedByRedis);
    t.is(found.duplicates, repeats.repeatsAmbiguous + repeats.repeatsInFlight + repeats.repeatsByRedis);
    t.deepEqual((await platform.stats()).violations, {});
    t.true(
      [...ingesters, ...forwarders].every((replica) => replica.running()),
      'somebody ended without being killed',
    );
  },
);
