import type { Random } from '../time/random.ts';
import { spoil, type BadReason } from './bad-events.ts';
import type { DeviceEvent } from './device-event.ts';
import { createRanger, type Habits, type Ranger } from './ranger.ts';

/** Options of a fleet. Shares are of events, 0 to 1. */
export interface FleetOptions {
  readonly devices: number;
  /** The same seed gives the same fleet. */
  readonly random: Random;
  /** Time of the first event, ms since 1970. */
  readonly start: number;
  /** Between two events of one device; the devices take turns within it. Default 60,000. */
  readonly intervalMs?: number;
  /** First device number, so that fleets do not mix; default 0. */
  readonly firstDevice?: number;
  /** Events that come a second time. */
  readonly duplicates?: number;
  /** Events that come later than younger ones of the same device. */
  readonly disorder?: number;
  /** Unreadable events, sent in addition to good ones. */
  readonly bad?: number;
  /** How many SOS sequences there are in all, one a device and round; they begin with the third event of a device. */
  readonly sosCount?: number;
  readonly habits?: Partial<Habits>;
}

/** One event with what a checker needs to know. */
export interface FleetEvent {
  /** Content of `Events`. */
  readonly payload: unknown;
  /** `imei:timeStamp`; unique to the event, and the same on its duplicate. */
  readonly id: string;
  readonly imei: string;
  readonly at: number;
  readonly messageCode: number;
  readonly duplicate: boolean;
  /** Why the ingester must reject it; null for a good one. */
  readonly bad: BadReason | null;
}

/** A fleet of rangers under way. Times of one device are unique and grow. */
export interface Fleet {
  readonly imeis: readonly string[];
  /** The next `count` events, duplicates and bad ones included. */
  take(count: number): FleetEvent[];
  /** All events whose time has come. */
  until(now: number): FleetEvent[];
  /** Events that disorder and duplication still hold back. */
  rest(): FleetEvent[];
}

const defaultHabits: Habits = { checkIns: 0.02, texts: 0.03, noFix: 0.01, sos: 0 };

/** 15 digits that no sentinel device has. */
const imeiOf = (device: number): string => `30043403${String(device).padStart(7, '0')}`;

/** Events held back until so many others have passed. */
const createHold = () => {
  const held: { due: number; event: FleetEvent }[] = [];
  let passed = 0;
  return {
    put: (event: FleetEvent, after: number) => held.push({ due: passed + after, event }),
    pass(): FleetEvent[] {
      passed += 1;
      if (held.length === 0) return [];
      const due = held.filter((one) => one.due <= passed);
      for (const one of due) held.splice(held.indexOf(one), 1);
      return due.map(({ event }) => event);
    },
    rest: () => held.splice(0).map(({ event }) => event),
  };
};

const describe = (event: DeviceEvent, at: number): FleetEvent => {
  const imei = String(event.imei);
  const messageCode = Number(event.messageCode);
  return { payload: event, id: `${imei}:${at}`, imei, at, messageCode, duplicate: false, bad: null };
};

/** Starts a fleet. */
export const createFleet = (options: FleetOptions): Fleet => {
  const { devices, random, start, intervalMs = 60_000, firstDevice = 0, sosCount = 0 } = options;
  const { duplicates = 0, disorder = 0, bad = 0 } = options;
  const habits = { ...defaultHabits, ...options.habits };
  const rangers = Array.from({ length: devices }, (_, index) =>
    createRanger(imeiOf(firstDevice + index), intervalMs, habits, random),
  );
  const hold = createHold();
  const ready: FleetEvent[] = [];
  let slot = 0;

  const timeOf = (n: number): number =>
    start + Math.floor(n / devices) * intervalMs + Math.floor(((n % devices) * intervalMs) / devices);

  /** SOS number k belongs to device k mod devices, in its round k div devices of ten events. */
  const startsSos = (device: number, round: number): boolean =>
    round % 10 === 2 && Math.floor(round / 10) * devices + device < sosCount;

  const make = (): void => {
    const device = slot % devices;
    const ranger = rangers[device] as Ranger;
    if (startsSos(device, Math.floor(slot / devices))) ranger.declareSos();
    const at = timeOf(slot);
    slot += 1;
    const event = describe(ranger.next(at), at);
    const late = random.next() < disorder;
    if (late) hold.put(event, devices + 1 + Math.floor(random.next() * devices * 2));
    else ready.push(event);
    if (random.next() < duplicates) hold.put({ ...event, duplicate: true }, 3 * devices + 5);
    if (random.next() < bad) {
      const { reason, payload } = spoil(event.payload as DeviceEvent, random);
      ready.push({ ...event, payload, bad: reason, id: `${event.id}:bad` });
    }
    ready.push(...hold.pass());
  };

  return {
    imeis: rangers.map(({ imei }) => imei),
    take(count) {
      while (ready.length < count) make();
      return ready.splice(0, count);
    },
    until(now) {
      while (timeOf(slot) <= now) make();
      return ready.splice(0);
    },
    rest: () => [...ready.splice(0), ...hold.rest()],
  };
};
