import { createFleet, seeded, type FleetEvent } from '@ranger-relay/simulators';
import type { LaneSource, Load } from './lane.ts';

/** Options of the traffic. Shares are from 0 to 1. */
export interface TrafficOptions {
  readonly devices: number;
  /** Events per second of the whole fleet. */
  readonly rate: number;
  /** Events in one POST. */
  readonly batch: number;
  readonly duplicates: number;
  readonly disorder: number;
  readonly bad: number;
  /** SOS sequences in all. */
  readonly sos: number;
  readonly seed: number;
}

const declared = 4;
/** Away from the devices of the fleet that `up` simulates. */
const firstDevice = 1_000_000;

const loadOf = (events: readonly FleetEvent[]): Load => ({
  body: JSON.stringify({ Version: '3.0', Events: events.map(({ payload }) => payload) }),
  events: events.length,
  duplicates: events.filter(({ duplicate }) => duplicate).length,
  bad: events.filter(({ bad }) => bad !== null).length,
  sos: events.filter(({ messageCode, duplicate, bad }) => messageCode === declared && !duplicate && bad === null)
    .length,
});

/** How many of `total` things fall to part `index` of `parts`; the sum over the parts is `total`. */
export const shareOf = (total: number, index: number, parts: number): number =>
  Math.floor((total * (index + 1)) / parts) - Math.floor((total * index) / parts);

const batchesOf = (events: readonly FleetEvent[], size: number): Load[] =>
  Array.from({ length: Math.ceil(events.length / size) }, (_, n) => loadOf(events.slice(n * size, (n + 1) * size)));

/**
 * Splits a fleet into lanes of devices of their own. The times of a device's events begin at `start` and pass as fast as real time does at
 * the rate asked for. The same seed and start give the same events. `rate` of a lane is its part of the whole one, events per second.
 */
export const fleetLanes = (options: TrafficOptions, lanes: number, start: number) => {
  const { devices, rate, batch, seed, sos, ...shares } = options;
  let before = 0;
  return Array.from({ length: lanes }, (_, lane) => {
    const own = shareOf(devices, lane, lanes);
    const fleet = createFleet({
      devices: own,
      random: seeded(seed * 1_009 + lane),
      start,
      intervalMs: Math.max(1, Math.round((devices * 1000) / rate)),
      firstDevice: firstDevice + before,
      duplicates: shares.duplicates,
      disorder: shares.disorder,
      bad: shares.bad,
      sosCount: shareOf(sos, lane, lanes),
    });
    before += own;
    const source: LaneSource = { next: () => loadOf(fleet.take(batch)), rest: () => batchesOf(fleet.rest(), batch) };
    return { source, rate: (rate * own) / devices };
  });
};
