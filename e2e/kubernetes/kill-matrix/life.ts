import { readdirSync } from 'node:fs';
import { commandLabel, type KubeObject, patrolSyncs, type Resource, rollbacks } from '@ranger-relay/operator';
import { isRecord } from '../harness/wire.ts';
import { inUse } from '../../src/harness/sync.ts';
import { startCrew } from './replicas.ts';
import { type Ground, openPlace, type Place } from './place.ts';
import type { Point } from './points.ts';
import { createReaper, type Kill } from './killer.ts';
import { story } from './story.ts';
import { openWitness } from './invariants.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a life has come to, without what differs from life to life: times, ids, hashes. */
type End = Json;

const part = (value: unknown, name: string): Json => {
  const found = isRecord(value) ? value[name] : undefined;
  return isRecord(found) ? found : {};
};
const pick = (from: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, from[name]]));

const conditionsOf = ({ status }: KubeObject): readonly string[] => {
  const found = isRecord(status) ? status['conditions'] : undefined;
  return (Array.isArray(found) ? found : [])
    .filter(isRecord)
    .map(({ type, status: is, reason }) => `${String(type)} ${String(is)} ${String(reason)}`)
    .toSorted();
};

/** A run that goes on leaves unchanged what was written before it was broken off, and how much that was is chance; each write is counted by itself. */
const lastRunOf = (status: Json): Json => {
  const run = pick(part(status, 'lastRun'), 'command', 'outcome', 'attempt', 'number', 'counts');
  if (run['command'] !== 'resume') return run;
  const { created, unchanged, ...counts } = part(run, 'counts');
  return { ...run, counts: { ...counts, there: Number(created) + Number(unchanged) } };
};

const objectEnd = (object: KubeObject): Json => {
  const status = isRecord(object.status) ? object.status : {};
  return {
    conditions: conditionsOf(object),
    ...pick(status, 'step', 'plans', 'job'),
    plan: pick(part(status, 'plan'), 'outcome', 'number', 'writes', 'tries', 'counts'),
    lastRun: lastRunOf(status),
    drift: pick(part(status, 'drift'), 'number', 'differences'),
    openItems: part(status, 'checklist')['openItems'],
    pruned: part(status, 'pruned')['number'],
  };
};

/** How often each kind of write was done. */
const writesOf = ({ site }: Place): Json => {
  const kinds = site.log
    .writes()
    .map(({ method, path, handled }) => `${method} ${path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*')} ${handled}`);
  return Object.fromEntries(
    [...new Set(kinds)].toSorted().map((kind) => [kind, kinds.filter((each) => each === kind).length]),
  );
};

const filesOf = ({ volume }: Place): readonly string[] =>
  readdirSync(volume, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath.slice(volume.length)}/${name}`)
    .map((path) => path.replace(/-[0-9a-f]{8}\//, '/').replaceAll(/\d{8}T\d{6,9}Z/g, '*'))
    .toSorted();

/** How a Job ended, and what it did. */
const jobEnd = (job: KubeObject): string => {
  const ended = conditionsOf(job).find((condition) => /^(Complete|Failed) True/.test(condition));
  return `${job.metadata.labels?.[commandLabel]} ${ended?.split(' ')[0] ?? 'under way'}`;
};

/** What the place is like now. */
const endOf = async (place: Place): Promise<End> => {
  const { client, namespace } = place;
  const all = async ({ group, version, plural }: Resource): Promise<readonly KubeObject[]> => {
    const list: unknown = await client.custom.listNamespacedCustomObject({ group, version, plural, namespace });
    return (list as { readonly items: readonly KubeObject[] }).items;
  };
  const leases = await client.coordination.listNamespacedLease({ namespace });
  const jobs = await client.batch.listNamespacedJob({ namespace });
  return {
    syncs: (await all(patrolSyncs)).map(objectEnd),
    rollbacks: (await all(rollbacks)).map(objectEnd),
    site: { inUse: inUse(place), writes: writesOf(place) },
    holders: leases.items.map(({ spec }) => spec?.holderIdentity ?? ''),
    jobs: jobs.items.map((job) => jobEnd(job as KubeObject)).toSorted(),
    files: filesOf(place),
  };
};

/** What became of a life. */
export interface Lived {
  readonly end: End;
  /** Calls of steps that were done, in order. */
  readonly done: readonly Point[];
  /** Those of which a process of the operator died. */
  readonly deaths: readonly Point[];
  /** What must never be and was. */
  readonly broken: readonly string[];
}

/** Jobs that were let go before they were written down. */
const tooEarly = (done: readonly Point[]): readonly string[] => {
  const isWritten = (job: string, before: number): boolean =>
    done.slice(0, before).some((point) => point.step === 'RecordJob' && point.job === job);
  return done
    .filter(({ step, job }, n) => step === 'ReleaseJob' && !isWritten(job, n))
    .map(({ job }) => `Job ${job} began before it was written down`);
};

/** Lives one life of a PatrolSync, while the operator dies as it is told to. @throws what went wrong, with what it died of */
export const live = async (ground: Ground, name: string, kill?: Kill): Promise<Lived> => {
  const place = await openPlace(ground, name);
  const killer = createReaper(kill);
  const invariants = await openWitness(place);
  const replicas = await startCrew({ config: ground.config, namespace: name, reaper: killer });
  const { done, deaths } = killer;
  try {
    const applied = await story({ place, crew: replicas, witness: invariants });
    await replicas.stop();
    return {
      end: { applied, ...(await endOf(place)) },
      done,
      deaths,
      broken: [...invariants.broken, ...tooEarly(done)],
    };
  } catch (error) {
    await place.writeDown();
    const died = deaths.map(({ step, what }) => `${step} ${what}`).join(', ');
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${name}, in which the operator died of ${died || 'nothing'}: ${why}`, { cause: error });
  } finally {
    await replicas.stop().catch(() => undefined);
    await invariants.stop();
    await place.remove();
  }
};
