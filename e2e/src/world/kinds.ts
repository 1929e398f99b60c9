import { type AnyReport, type Report, drawWorld, runWorld } from './run.ts';
import type { Observers } from './simulation.ts';
import { drawSyncWorld, runSyncWorld, type SyncReport } from './sync/run.ts';
import type { SyncWorldOptions } from './sync/world.ts';
import type { Fault } from './faults.ts';
import type { WorldOptions } from './world.ts';

export type { AnyReport } from './run.ts';

/** One kind of world: how it is drawn, run, made smaller and counted. */
export interface WorldKind<Options extends { readonly faults: readonly Fault[] }, Found extends AnyReport> {
  draw(seed: number): Options;
  run(options: Options, observers?: Observers): Promise<Found>;
  /** Smaller worlds, each in one respect. */
  smaller(options: Options): readonly Options[];
  /** What happened in it, in words for its report. */
  counts(report: Found): Readonly<Record<string, number>>;
}

/** A shorter world with the faults that come in its time; what comes later would find it judged already. */
const shorter = (options: WorldOptions, ms: number): WorldOptions => ({
  ...options,
  ms,
  faults: options.faults.filter((fault) => fault.at + fault.ms < ms),
});

/** The services with their counterparts. */
export const services: WorldKind<WorldOptions, Report> = {
  draw: (seed) => drawWorld(seed),
  run: runWorld,
  smaller(options) {
    const { parks, devices, ms, replicas } = options;
    const one = Object.fromEntries(Object.keys(replicas).map((name) => [name, 1])) as typeof replicas;
    return [
      { ...options, replicas: one },
      { ...options, parks: 1 },
      { ...options, parks: Math.ceil(parks / 2) },
      { ...options, devices: Math.ceil(devices / 2) },
      shorter(options, Math.ceil(ms / 2)),
      shorter(options, Math.ceil(ms * 0.8)),
    ];
  },
  counts: ({ events, rows, texts, repeats, deadLettered }) => ({
    events,
    rows,
    texts,
    repeats,
    'dead letters': deadLettered,
  }),
};

const withActs = (options: SyncWorldOptions, acts: SyncWorldOptions['acts']): SyncWorldOptions => ({
  ...options,
  acts,
});

/** The sync with two operators, two areas and a person at one site. */
export const sync: WorldKind<SyncWorldOptions, SyncReport> = {
  draw: (seed) => drawSyncWorld(seed),
  run: runSyncWorld,
  smaller(options) {
    const { acts } = options;
    return [
      ...acts.map((_, index) => withActs(options, acts.toSpliced(index, 1))),
      { ...options, latencyMs: 0 },
      { ...options, editShare: 0 },
      { ...options, editEveryMs: 1e9 },
    ];
  },
  counts: ({ calls, edits }) => ({ calls, edits }),
};
