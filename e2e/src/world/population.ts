import {
  createFleet,
  createPusher,
  createVendor,
  type DeviceEvent,
  deviceEvent,
  envelopeMaker,
  type Fleet,
  type FleetEvent,
  type PlatformSimulator,
  type SiteSimulator,
  type Vendor,
} from '@ranger-relay/simulators';
import type { Network } from './network.ts';
import { createReports, createRows } from './site-data.ts';
import { pick, type Simulation } from './simulation.ts';
import { clocklessPrefix, type Owed, type Truth } from './truth.ts';

/** How many take part. */
export interface Size {
  readonly parks: number;
  readonly devices: number;
  /** Between two events of a device, ms. */
  readonly intervalMs: number;
  /** Between two texts to devices, ms. */
  readonly textEveryMs: number;
  /** Between two rows of a site, ms. */
  readonly rowEveryMs: number;
}

/** An integration of devices, with its vendor. */
interface Park {
  readonly id: string;
  readonly fleet: Fleet;
  readonly vendor: Vendor;
  /** Sends what its devices reported; returns that. */
  tick(): readonly FleetEvent[];
  /** Sends events, also those of a device that another park has too. */
  send(events: readonly FleetEvent[]): void;
  callForHelp(): void;
  /** Its producer of texts; all producers count their messages from one. */
  readonly envelope: ReturnType<typeof envelopeMaker>;
}

/** A text to a device. */
export interface SentText {
  readonly id: string;
  readonly text: string;
  acked: boolean;
}

/** Everybody outside: devices, people who write to them, and the rows of the site. */
export interface Population {
  readonly parks: readonly Park[];
  readonly texts: readonly SentText[];
  /** Number of events that devices sent, and rows that the site got. */
  events(): number;
  rows(): number;
  /** No new events, texts and rows. */
  stop(): void;
  /** Whether the vendor and the people wait for an answer. */
  waiting(): boolean;
}

/** Ids of integrations. */
export const parkId = (n: number): string => `${String(n + 1).padStart(8, 'a')}-0000-4000-8000-000000000000`;

/** Ids of deliveries of texts. */
const deliveryId = (n: number): string => `dddddddd-0000-4000-8000-${String(n).padStart(12, '0')}`;

const sosCodes = new Set([4, 6, 7]);
export const textCodes: ReadonlySet<number> = new Set([3]);

/** What the platform must get of an event. */
const owedOf = (integration: string, { imei, at, messageCode, payload }: FleetEvent, order: number): Owed[] => {
  const sos = sosCodes.has(messageCode);
  const item = { integration, source: imei, at, order, sos };
  const { point, freeText } = payload as DeviceEvent;
  return [
    { ...item, kind: 'observation', says: `${point?.latitude} ${point?.longitude}` },
    ...(textCodes.has(messageCode) ? [{ ...item, kind: 'message', says: freeText ?? null } as const] : []),
  ];
};

interface PopulationDependencies {
  readonly simulation: Simulation;
  readonly network: Network;
  readonly platform: PlatformSimulator;
  readonly site: SiteSimulator;
  readonly truth: Truth;
  readonly size: Size;
}

const tickMs = 10_000;
const hourMs = 3_600_000;

/** Starts one park. */
const startPark = ({ simulation, network, truth, size }: PopulationDependencies, n: number): Park => {
  const id = parkId(n);
  const { clock, chance } = simulation;
  const sent = new Map<string, { event: FleetEvent; order: number }>();
  /** A device without a clock: nothing but the time of their receipt tells its calls for help apart. */
  const clockless = `${clocklessPrefix}${String(n).padStart(5, '0')}`;
  const calls: number[] = [];
  const fleet = createFleet({
    devices: size.devices,
    random: chance(`fleet ${n}`),
    start: clock.now(),
    intervalMs: size.intervalMs,
    firstDevice: n * 1_000,
    duplicates: 0.02,
    bad: 0.005,
    // Of few devices each calls for help at the beginning; of many, they do so all the time, not all of them at once.
    sosCount: Math.min(size.devices, 12),
    habits: { texts: 0.05, noFix: 0, sos: 0.001 },
  });
  /** An acknowledged event is owed, unless the answer names it as rejected. */
  const acknowledge = (body: string, answer: string): void => {
    const { Events: events = [] } = JSON.parse(body) as { Events?: { imei?: unknown; timeStamp?: unknown }[] };
    const { rejected = [] } = JSON.parse(answer) as { rejected?: { index: number }[] };
    const refused = new Set(rejected.map(({ index }) => index));
    for (const [index, event] of events.entries()) {
      const calledAt = event.imei === clockless ? calls.shift() : undefined;
      if (calledAt !== undefined)
        truth.oweCall({ integration: id, source: clockless, from: calledAt, to: clock.now() });
      const known = refused.has(index) ? undefined : sent.get(`${String(event.imei)}:${String(event.timeStamp)}`);
      if (!known) continue;
      truth.owe(owedOf(id, known.event, known.order));
      sent.delete(known.event.id);
    }
  };
  const vendor = createVendor({
    targetUrl: 'http://webhook-ingester.world/webhooks',
    auth: 'none',
    // Callers spell the same id as they like.
    headers: { 'x-integration-id': n % 2 === 1 ? id.toUpperCase() : id },
    connections: 2,
    clock,
    random: chance(`vendor ${n}`),
    client: network.simulatorClient(`vendor ${n}`, ({ body }, status, answer) => {
      if (status === 200) acknowledge(String(body), answer);
    }),
  });
  const callForHelp = (): void => {
    calls.push(clock.now());
    vendor.send([deviceEvent(clockless, 0, { messageCode: 4 })]);
  };
  let order = 0;
  const send = (events: readonly FleetEvent[]): void => {
    for (const event of events)
      if (event.bad === null && !event.duplicate) sent.set(`${event.imei}:${event.at}`, { event, order: (order += 1) });
    if (events.length > 0) vendor.send(events.map(({ payload }) => payload));
  };
  const tick = (): readonly FleetEvent[] => {
    const events = fleet.until(clock.now());
    send(events);
    return events;
  };
  const envelope = envelopeMaker(clock, chance(`producer ${n}`));
  return { id, fleet, vendor, envelope, tick, send, callForHelp };
};

/** All parks report; the first device of each is one that the park before it has too, so both are told of it. Returns the number of events. */
const report = (parks: readonly Park[]): number => {
  let count = 0;
  for (const [n, park] of parks.entries()) {
    const events = park.tick();
    const shared = n > 0 ? events.filter(({ imei }) => imei === park.fleet.imeis[0]) : [];
    parks[n - 1]?.send(shared);
    count += events.length + shared.length;
  }
  return count;
};

const iso = (ms: number): string => new Date(ms).toISOString();

/** Starts everybody. */
export const startPopulation = (parts: PopulationDependencies): Population => {
  const { simulation, network, size } = parts;
  const { clock } = simulation;
  const random = simulation.chance('population');
  const parks = Array.from({ length: size.parks }, (_, n) => startPark(parts, n));
  const pusher = createPusher({
    clock,
    random,
    deadlineMs: 120_000,
    client: network.simulatorClient('platform'),
  });
  const texts: SentText[] = [];
  const rows = createRows(parts, simulation.chance('rows'));
  const reports = createReports(parts, simulation.chance('reports'));
  let stopped = false;
  let events = 0;

  const repeat = (everyMs: number, work: () => unknown): void => {
    clock.after(everyMs, () => {
      if (stopped) return;
      work();
      repeat(everyMs, work);
    });
  };
  const sendText = (park: Park, device: string, id: string): void => {
    const sent: SentText = { id, text: `text ${texts.length + 1}`, acked: false };
    texts.push(sent);
    const payload = { Message: sent.text, Recipients: [device], Sender: 'ops@site.org', Timestamp: iso(clock.now()) };
    const data = {
      event_id: sent.id,
      timestamp: iso(clock.now()),
      schema_version: 'v1',
      event_type: 'MessageTransformedInReach',
      payload,
    };
    const attributes = { destination_id: park.id, delivery_id: sent.id, stream_type: 'txt' };
    const shouted = { ...attributes, destination_id: park.id.toUpperCase(), delivery_id: sent.id.toUpperCase() };
    const copies = random.next() < 0.1 ? [attributes, shouted] : [attributes];
    const envelopes = copies.map((each) => park.envelope(data, each));
    void pusher
      .pushAll('http://message-pusher.world/push-data', envelopes)
      .then((all) => (sent.acked = all.every(({ acked }) => acked)));
  };
  const sendTexts = (): void => {
    const park = pick(random, parks);
    const device = pick(random, park.fleet.imeis);
    const id = deliveryId(texts.length + 1);
    sendText(park, device, id);
    if (random.next() < 0.2) sendText(park, device, deliveryId(1_000_000 + texts.length));
    // The deliveries of each park are counted by themselves, and two parks may write to one device.
    const other = pick(random, parks);
    if (other !== park) sendText(other, random.next() < 0.5 ? device : pick(random, other.fleet.imeis), id);
  };
  repeat(tickMs, () => (events += report(parks)));
  repeat(size.textEveryMs, sendTexts);
  repeat(size.rowEveryMs, rows.add);
  repeat(size.rowEveryMs * 3, reports.add);
  for (const { callForHelp } of parks) repeat((1 + random.next()) * hourMs, callForHelp);
  return {
    parks,
    texts,
    events: () => events,
    rows: () => rows.count() + reports.count(),
    stop: () => void (stopped = true),
    waiting: () => parks.some(({ vendor }) => vendor.waiting() > 0) || texts.some(({ acked }) => !acked),
  };
};
