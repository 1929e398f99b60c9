import { pullProgress, runnerPulls } from '@ranger-relay/action-runner';
import { parseState, stateKey } from '@ranger-relay/actions';
import type { Bus } from '@ranger-relay/bus';
import type { BrokerFacts, TopicAdmin, TopicState } from '@ranger-relay/bus/kafka';
import { topics } from '@ranger-relay/contracts';
import type { KeyValue, StoreServer } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { probeKey, writeProbe } from '@ranger-relay/service';
import { humanSpan, plural, type Shell } from '@ranger-relay/terminal';
import { withOpen } from '../../program/stores.ts';
import { waitingEvents } from '../../status/index.ts';
import type { PlatformFacts } from '../facts.ts';
import { type Check, failed, type Finding, ok, skipped, warning } from '../finding.ts';

const watermarks = 'watermarks';
const aheadRemedy =
  'Its next run continues from the present time of the site; check the clocks of this machine and of the site.';

/** Whether the watermark of a pull lies in the site's future: the pull finds nothing until its next run corrects it. */
export const watermarksCheck = (
  facts: PlatformFacts,
  open: () => Promise<KeyValue>,
  clock: Clock,
  slug: string,
): Check => ({
  name: watermarks,
  async ask() {
    if (!(await facts.hasToken())) return [skipped(watermarks, 'needs a token of the platform')];
    const accounts = await facts.accounts(slug);
    return withOpen(open, async (kv) => {
      const found: Finding[] = [];
      for (const { integration } of accounts)
        for (const action of runnerPulls()) {
          const key = stateKey.of(integration.id, action);
          const { ahead_seconds: ahead } = pullProgress(parseState(key, await kv.state.get(key)), clock.now());
          const text = `${action} of ${integration.name ?? integration.id} has one in the future: ${humanSpan(ahead)} ahead of the site`;
          if (ahead > 0) found.push(warning(watermarks, text, aheadRemedy));
        }
      return found.length > 0 ? found : [ok(watermarks, 'none lies in the future')];
    });
  },
});

const name = 'bus';

/** Longest retention of a topic; offsets must live at least as long. */
const maxMs = Math.max(...Object.values(topics).map(({ retentionMs }) => retentionMs));

const topicFindings = (states: readonly TopicState[]): Finding[] => {
  const bad = states.filter(({ problems }) => problems.length > 0);
  if (bad.length === 0) return [ok(name, `the brokers answer and have ${plural(states.length, 'topic')}`)];
  return bad.map((state) =>
    failed(
      name,
      `${state.name} ${state.problems.join('; ')}`,
      'Run `ranger-relay topics apply`, or ask the administrator of the brokers to change it.',
    ),
  );
};

/** Acknowledged events must survive the loss of a disk, unless `allowed`. */
const copyFindings = (states: readonly TopicState[], allowed: boolean): Finding[] => {
  const single = states.filter(({ replicas }) => replicas === 1).map((state) => state.name);
  if (single.length === 0) return [];
  const finding = allowed ? warning : failed;
  return [
    finding(
      name,
      `${plural(single.length, 'topic')} with one copy of each record (${single.join(', ')}): the loss of one disk loses acknowledged records`,
      'Run three brokers. New topics: `ranger-relay topics create --replication 3`. Existing topics: reassign their partitions with the tool of the brokers.',
    ),
  ];
};

const offsetFindings = ({ offsetsRetentionMs, keepsOffsets }: BrokerFacts): Finding[] => {
  if (offsetsRetentionMs === null)
    return [skipped(name, 'the brokers do not report how long they keep offsets (offsets.retention.minutes)')];
  const span = humanSpan(offsetsRetentionMs / 1_000);
  if (keepsOffsets) return [ok(name, `offsets are kept for years at our request, those of other groups for ${span}`)];
  if (offsetsRetentionMs >= maxMs) return [ok(name, `offsets are kept for ${span}`)];
  return [
    failed(
      name,
      `the brokers forget the offsets of a service that is stopped for ${span}, while topics keep records for ${humanSpan(maxMs / 1_000)}`,
      `Set offsets.retention.minutes of the brokers to ${maxMs / 60_000} or more.`,
    ),
  ];
};

/** Whether the topics on the brokers match the catalogue and keep acknowledged records. */
export const topicsCheck = (open: () => TopicAdmin, allowSingleCopies: boolean): Check => ({
  name,
  ask: () =>
    withOpen(open, async (admin) => {
      const states = await admin.check();
      const brokers = await admin.brokers().catch(() => ({ offsetsRetentionMs: null, keepsOffsets: false }));
      return [...topicFindings(states), ...copyFindings(states, allowSingleCopies), ...offsetFindings(brokers)];
    }),
});

/** Whether the bus file of this machine can be read, and takes an event with nothing to send: without traffic nobody has tried since. */
export const busFileCheck = (open: () => Promise<Bus>, clock: Pick<Clock, 'now'>): Check => ({
  name,
  ask: () =>
    withOpen(open, async (bus) => {
      const waiting = [...(await waitingEvents(bus)).values()];
      const sum = (of: 'count' | 'parked' | 'sos') => waiting.reduce((total, each) => total + each[of], 0);
      const sos = sum('sos');
      await bus.publish(topics.sourceEvents.name, [writeProbe(probeKey, clock.now())]);
      const events = `${plural(sum('count') + sum('parked'), 'event')} on the way to the platform`;
      const among = sos > 0 ? `, ${plural(sos, 'SOS', 'SOS')} among them` : '';
      return [ok(name, `the file of this machine takes and returns records; ${events}${among}`)];
    }),
});

const roundTripMs = 30_000;

const maxSkewMs = 60_000;

const store = 'key-value store';

/** A server that evicts keys or forgets writes loses what was delivered, and ledger entries of texts; its clock decides when leases expire. */
const serverFindings = ({ now, maxMemoryBytes, evictionPolicy, appendOnly }: StoreServer, ours: number): Finding[] => {
  const skewMs = now - ours;
  const skew = `${humanSpan(Math.round(Math.abs(skewMs) / 1_000))} ${skewMs > 0 ? 'behind' : 'ahead of'}`;
  const findings: Finding[] = [];
  if (evictionPolicy !== '' && evictionPolicy !== 'noeviction')
    findings.push(
      maxMemoryBytes > 0
        ? failed(
            store,
            `it drops keys when its memory is full (maxmemory-policy ${evictionPolicy}): events and texts may then be sent twice, and out of order`,
            'Set maxmemory-policy to noeviction, and watch its memory.',
          )
        : warning(
            store,
            `it would drop keys if its memory had a bound (maxmemory-policy ${evictionPolicy})`,
            'Set maxmemory-policy to noeviction before maxmemory is set.',
          ),
    );
  if (appendOnly === false)
    findings.push(
      warning(
        store,
        'it does not log its writes (appendonly no): after a restart it forgets the last ones, and texts may be sent twice',
        'Set appendonly to yes. After restoring an older snapshot, restart every service before texts flow again.',
      ),
    );
  if (Math.abs(skewMs) > maxSkewMs)
    findings.push(
      warning(
        store,
        `our clock is ${skew} that of its server`,
        'Synchronize the clocks of all machines with a time service.',
      ),
    );
  return findings;
};

/** Writes, reads and removes a value, and checks that the two spaces are distinct. */
export const storeCheck = (
  open: () => Promise<KeyValue>,
  /** Such as `databases 0 and 1`. */
  spaces: string,
  { random, clock }: Pick<Shell, 'random' | 'clock'>,
): Check => ({
  name: store,
  ask: () =>
    withOpen(open, async (kv) => {
      const key = `doctor.${random.uuid()}`;
      await kv.state.set(key, 'here', { ttlMs: roundTripMs });
      const [back, elsewhere] = await Promise.all([kv.state.get(key), kv.config.get(key)]);
      await kv.state.delete(key);
      const remedy = 'Check whether KV_HOST names a replica or a proxy.';
      if (back !== 'here') return [failed(store, 'a written value cannot be read back', remedy)];
      if (elsewhere !== null)
        return [failed(store, `${spaces} are the same`, 'KV_STATE_DB and KV_CONFIGS_DB must differ.')];
      const server = await kv.server?.();
      const found = server ? serverFindings(server, clock.now()) : [];
      return [ok(store, `stores and returns values; ${spaces}`), ...found];
    }),
});
