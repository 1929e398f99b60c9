import type { Random } from '../time/random.ts';
import type { Point } from './device-event.ts';

/** Middle of the park in which rangers walk, and how far they go from it. */
const park = { latitude: -1.3, longitude: 36.8, radiusKm: 18 };
const kmPerDegree = 111.2;

/** A ranger on the move. */
export interface Walk {
  /** Goes on for `ms` milliseconds and says where that led. */
  step(ms: number): Point;
}

interface State {
  north: number;
  east: number;
  course: number;
  speed: number;
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));
const turn = (course: number): number => ((course % 360) + 360) % 360;

/** Hills: a smooth height in metres for every place. */
const heightAt = (north: number, east: number): number =>
  1_690 + 90 * Math.sin(north / 3.1) + 60 * Math.cos(east / 2.3) + 20 * Math.sin((north + east) * 1.7);

/** Far out, a ranger turns back to the middle; else the course drifts. */
const nextCourse = ({ north, east, course }: State, random: Random): number => {
  if (Math.hypot(north, east) > park.radiusKm) return turn((Math.atan2(-east, -north) * 180) / Math.PI);
  return turn(course + (random.next() + random.next() - 1) * 50);
};

/** Mostly walking, sometimes resting, sometimes in a vehicle. */
const nextSpeed = (speed: number, random: Random): number => {
  const chance = random.next();
  if (chance < 0.03) return 0;
  if (chance < 0.05) return 18 + random.next() * 30;
  const usual = speed > 12 ? speed * 0.9 : 3.8;
  return Math.max(0.2, speed + (usual - speed) * 0.4 + (random.next() - 0.5) * 1.6);
};

/** Starts a walk somewhere in the park. */
export const startWalk = (random: Random): Walk => {
  const angle = random.next() * 2 * Math.PI;
  const distance = Math.sqrt(random.next()) * park.radiusKm * 0.8;
  const state: State = {
    north: Math.cos(angle) * distance,
    east: Math.sin(angle) * distance,
    course: random.next() * 360,
    speed: 2 + random.next() * 3,
  };
  return {
    step(ms) {
      state.course = nextCourse(state, random);
      state.speed = nextSpeed(state.speed, random);
      const km = (state.speed * ms) / 3_600_000;
      state.north += Math.cos((state.course * Math.PI) / 180) * km;
      state.east += Math.sin((state.course * Math.PI) / 180) * km;
      return {
        latitude: round(park.latitude + state.north / kmPerDegree, 5),
        longitude: round(park.longitude + state.east / kmPerDegree, 5),
        altitude: round(heightAt(state.north, state.east), 1),
        gpsFix: random.next() < 0.85 ? 2 : 3,
        course: round(state.course, 1),
        speed: round(state.speed, 3),
      };
    },
  };
};
