import { type SiteEventRecord, type SourceEvent, topics } from '@ranger-relay/contracts';
import type { PlatformSimulator } from '@ranger-relay/simulators';
import { channelFaults, type Fault, type FaultTargets, feedFaults } from './faults.ts';
import { parkId } from './population.ts';
import { type Replica, serviceNames } from './services.ts';
import type { Trouble } from './troubles.ts';
import { siteSettings, type World, type WorldOptions } from './world.ts';

const minuteMs = 60_000;

/** What of a world faults can hit. */
export const targetsOf = ({ parks, replicas }: Pick<WorldOptions, 'parks' | 'replicas'>): FaultTargets => ({
  replicas: serviceNames.flatMap((service) => Array.from({ length: replicas[service] }, (_, n) => `${service}-${n}`)),
  channels: [
    'bus',
    'group',
    'store',
    'http platform.world',
    'http site.world',
    'http inbound.world',
    'http webhook-ingester.world',
  ],
  counterparts: ['platform', 'platform', 'platform', 'site', 'inbound', 'inbound'],
  feeds: Array.from({ length: parks }, (_, n) => `feed ${n}`),
});

type Switch = Parameters<PlatformSimulator['switches']['set']>[0];

/** Any JSON is a success of the vendor that sends texts (device contract, section 5), so its gateway answers by a page. */
const maintenanceOf = (target: string): { status: number; body: string } => ({
  status: 200,
  body: target === 'inbound' ? '<html>Under maintenance</html>' : '{"message":"Under maintenance"}',
});

/** What a fault sets at a simulator; undefined when it is none of an answer. */
export const switchOf = ({ kind, target, amount }: Fault): Switch | undefined => {
  const count = amount;
  switch (kind) {
    case 'status 500':
      return { fault: 'status', status: 500, count };
    case 'status 500 after marking':
      return { fault: 'status', status: 500, when: 'marked', count };
    case 'status 500 after storing':
      return { fault: 'status', status: 500, when: 'after', count };
    case 'status 502':
      return { fault: 'status', status: 502, body: '<html>Bad Gateway</html>', count };
    case 'status 504 after storing':
      return { fault: 'status', status: 504, body: '<html>Gateway Time-out</html>', when: 'after', count };
    case 'status 429':
      return { fault: 'status', status: 429, retry_after: amount, count };
    case 'status 200 of a gateway':
      return { fault: 'status', ...maintenanceOf(target), count };
    case 'status 400 of a gateway':
      return { fault: 'status', status: 400, body: '<html>Bad Request</html>', count };
    case 'status 404 of a gateway':
      return { fault: 'status', status: 404, body: '<html>Not Found</html>', count };
    case 'hang':
      return { fault: 'hang', count };
    case 'hang after storing':
      return { fault: 'hang', when: 'after', count };
    case 'reset':
      return { fault: 'reset', count };
    case 'reset after storing':
      return { fault: 'reset', when: 'after', count };
    case 'half body':
      return { fault: 'half_body', count };
    case 'short list':
      return { fault: 'short_list', count };
    default:
      return undefined;
  }
};

const strikeProcess = (replica: Replica, { kind, ms, amount }: Fault, { simulation }: World): void => {
  const process = replica.process();
  if (!process) return;
  if (kind === 'kill') process.kill();
  else if (kind === 'kill at call') process.killAtCall(amount);
  else if (kind === 'freeze') process.freeze(Math.min(ms, 10 * minuteMs));
  else if (kind === 'stop') void replica.stop();
  else if (kind === 'jump') {
    const jump = (amount % 2 === 0 ? 1 : -1) * Math.min(ms, 10 * minuteMs);
    process.jump(jump);
    simulation.clock.after(ms, () => process.jump(-jump));
  }
};

/** The vendor that sends texts promises by a 500 that it sends nothing (device contract, section 7). */
const neverInbound = new Set<Fault['kind']>(['status 500 after storing', 'status 500 after marking']);

const strikeCounterpart = (fault: Fault, { simulation, platform, site, inbound }: World): void => {
  const { kind, target, ms, amount } = fault;
  const { clock } = simulation;
  const simulator = { platform, site, inbound }[target as 'platform' | 'site' | 'inbound'];
  const change = switchOf(fault);
  if (change && !(target === 'inbound' && neverInbound.has(kind))) {
    const board = 'switches' in simulator ? simulator.switches : simulator.faults;
    board.set(change);
  } else if (kind === 'down') {
    void simulator.goDown();
    clock.after(ms, () => void simulator.comeUp());
  } else if (kind === 'key refused') {
    const id = parkId(0);
    platform.integrations.put({ id, key_state: 'refused' });
    clock.after(ms, () => void platform.integrations.put({ id, key_state: 'bound' }));
  } else if (kind === 'settings') {
    platform.integrations.put(siteSettings(simulation.startMs, 1 + (amount % 4)));
  } else if (kind === 'clock' && target === 'site') site.set({ clock_offset_s: (amount - 20) * 180 });
};

const storeTrouble = ({ kind, target }: Fault): Trouble['store'] => {
  if (kind === 'store restarts empty' || kind === 'store fails over' || kind === 'store restored') return 'lost';
  return target === 'store' ? 'away' : null;
};

/** How far back a snapshot goes to which the store is restored: 30 s to 20 min, ms. */
const snapshotMs = ({ amount }: Fault): number => Math.min(amount * 30_000, 20 * minuteMs);

/** What the store loses of the time before a fault, ms. */
const lostMsOf = (fault: Fault): number => {
  if (fault.kind === 'store restored') return snapshotMs(fault);
  return fault.kind === 'store fails over' ? fault.amount * 100 : 0;
};

/** The store goes back to a snapshot while a forwarder ends in the middle of its work. */
const restoreStore = (fault: Fault, { store, replicas }: World): void => {
  store.failOver(snapshotMs(fault));
  const forwarders = replicas.filter(({ name }) => name.startsWith('observation-forwarder'));
  forwarders[fault.amount % forwarders.length]?.process()?.kill();
};

/** Topics whose undone records are lost with them, as people are told. */
const lostTopics = [topics.sourceEvents.name, topics.sourceEventsParked.name, topics.siteEvents.name] as const;

/** Somebody deletes a topic and creates it again under running forwarders. */
const recreateTopic = ({ amount }: Fault, { bus, truth }: World): void => {
  const topic = lostTopics[amount % lostTopics.length] ?? lostTopics[0];
  for (const record of bus.recreate<SourceEvent | SiteEventRecord>(topic))
    if ('row' in record) truth.reportLost(String(record.row['title']));
    else truth.lost(record);
};

/** Faults that explain nothing: a process that ends as it should, and a vendor that repeats, reorders and splits its events. */
const calm = new Set<Fault['kind']>(['stop', ...feedFaults]);
/** Faults that last; others happen at once, or to a number of calls, and processes that end and doubtful answers are troubles of their own. */
const lasting = new Set<Fault['kind']>([
  ...channelFaults,
  'freeze',
  'jump',
  'down',
  'short list',
  'key refused',
  'settings',
  'clock',
]);

/** Makes a fault happen. */
export const strike = (fault: Fault, world: World): void => {
  const { kind, target, ms, amount } = fault;
  const { simulation, ways, bus, store, replicas, population, troubles } = world;
  simulation.note(`fault ${JSON.stringify(fault)}`);
  simulation.tell(`fault: ${kind} ${target} for ${ms} ms, ${amount}`);
  const from = simulation.clock.now();
  if (!calm.has(kind))
    troubles.add({
      from,
      to: lasting.has(kind) ? from + ms : from,
      store: storeTrouble(fault),
      lostMs: lostMsOf(fault),
    });
  const replica = replicas.find(({ name }) => name === target);
  if (replica) strikeProcess(replica, fault, world);
  else if (channelFaults.some((each) => each === kind))
    ways.disturb(kind as (typeof channelFaults)[number], target, ms, 0.05 + (amount % 10) / 10);
  else if (feedFaults.some((each) => each === kind))
    population.parks[Number(target.slice('feed '.length))]?.vendor.misbehave(
      kind as (typeof feedFaults)[number],
      amount,
    );
  else if (kind === 'rebalance') bus.shuffle();
  else if (kind === 'topic recreated') recreateTopic(fault, world);
  else if (kind === 'store restarts empty') store.restartEmpty();
  else if (kind === 'store fails over') store.failOver(lostMsOf(fault));
  else if (kind === 'store restored') restoreStore(fault, world);
  else strikeCounterpart(fault, world);
};

/** Ends every fault. */
export const heal = async ({ ways, platform, site, inbound, population }: World, parks: number): Promise<void> => {
  ways.clear();
  platform.switches.clear();
  site.faults.clear();
  inbound.switches.clear();
  for (let n = 0; n < parks; n += 1) platform.integrations.put({ id: parkId(n), key_state: 'bound' });
  await Promise.all([platform, site, inbound].map((simulator) => simulator.comeUp()));
  for (const { vendor } of population.parks) vendor.resume();
};
