import { pick, type Random } from '../time/random.ts';
import { deviceEvent, type DeviceEvent, type Point } from './device-event.ts';
import { startWalk } from './walk.ts';

/** How often things happen, per event. */
export interface Habits {
  readonly checkIns: number;
  readonly texts: number;
  readonly noFix: number;
  /** Chance that a calm ranger declares an SOS. */
  readonly sos: number;
}

/** One device and who carries it. */
export interface Ranger {
  readonly imei: string;
  /** The event of this time; times must grow. */
  next(at: number): DeviceEvent;
  /** The next events are an SOS: declared, confirmed two events later, cancelled after five more. */
  declareSos(): void;
}

const texts = [
  'Back at noon',
  'All well at the waterhole',
  'Fence checked, no damage',
  'Fresh elephant tracks near the river',
  'Camp set up for the night',
  'Road to the gate is muddy',
  'Counted 14 giraffes',
  'Battery swap done',
  'Moving to the ridge',
  'Tuko salama, kila kitu shwari 🦒',
] as const;

const codes = { position: 0, text: 3, declare: 4, confirm: 6, cancel: 7, checkIn: 9, startTrack: 10 };
const noFix: Point = { latitude: 0, longitude: 0, altitude: -422, gpsFix: 0, course: 0, speed: 0 };

/** Event number within an SOS to what is sent. */
const sosPlan: Readonly<Record<number, number>> = { 0: codes.declare, 2: codes.confirm, 7: codes.cancel };

/** Makes a ranger whose events come every `intervalMs`. */
export const createRanger = (imei: string, intervalMs: number, habits: Habits, random: Random): Ranger => {
  const walk = startWalk(random);
  const lastsEvents = 400 + Math.floor(random.next() * 600);
  let events = 0;
  let inSos: number | undefined;

  const sosCode = (): number | undefined => {
    if (inSos === undefined && events > 0 && random.next() < habits.sos) inSos = 0;
    if (inSos === undefined) return undefined;
    const code = sosPlan[inSos];
    inSos = code === codes.cancel ? undefined : inSos + 1;
    return code;
  };
  const calmCode = (): number => {
    if (events === 0) return codes.startTrack;
    const chance = random.next();
    if (chance < habits.texts) return codes.text;
    if (chance < habits.texts + habits.checkIns) return codes.checkIn;
    return codes.position;
  };

  return {
    imei,
    declareSos: () => void (inSos ??= 0),
    next(at) {
      const point = walk.step(intervalMs);
      const code = sosCode() ?? calmCode();
      const blind = random.next() < habits.noFix;
      const charge = events % (lastsEvents + 1);
      events += 1;
      return deviceEvent(imei, at, {
        messageCode: code,
        freeText: code === codes.text ? pick(random, texts) : null,
        addresses: code === codes.text ? [{ address: '+254700000000' }] : [],
        point: blind ? { ...noFix } : point,
        status: {
          autonomous: 1,
          lowBattery: blind ? 2 : Number(charge > lastsEvents * 0.9),
          intervalChange: 0,
          resetDetected: Number(events > 1 && charge === 0),
        },
      });
    },
  };
};
