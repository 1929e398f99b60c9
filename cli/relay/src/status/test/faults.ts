import { type SosStep, topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { httpAnswer } from '@ranger-relay/http/testing';
import { dismissCondition } from '@ranger-relay/service';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import type { DataDir } from '../../data-dir/index.ts';
import type { Opened } from '../../data-dir/open-bus.ts';
import { dlqCommand } from '../../dlq/command.ts';
import { watchVolume } from '../../up/volume.ts';
import { accepted, type Installation, parkOf, parks } from './installation.ts';

/** How a condition comes and goes: by the fault itself, and by its end. */
export interface Scenario {
  readonly subject: string;
  readonly fault: () => Promise<unknown>;
  readonly mend: () => Promise<unknown>;
  /** Seconds after the end of the fault until the condition has to be gone, without traffic; default 15. */
  readonly within?: number;
  /** A new process is right to know nothing of it: it has opened the files, or the list, anew. */
  readonly endsWithProcess?: true;
  /** Services that have to be out of service while it holds. */
  readonly unready?: readonly string[];
}

export const MiB = 1_048_576;
export const device = '300434030000001';
/** Beginning of the event id of the SOS of `emergenciesFailing`. */
export const sosId = 'ce852da81b57';
export const sos = { messageCode: 4 };

export const full = (): never => {
  throw new RelayError('store_full', { details: { path: '/data/bus.sqlite' } });
};

export const away = () => Promise.reject(new RelayError('kv_unavailable', { details: { reason: 'disk full' } }));

/** Makes all writes to some topics fail until the returned function is called. */
export const breakWrites = (x: Installation, ...names: readonly string[]): (() => void) => {
  x.memory.before = ({ topic }) => (names.includes(topic) ? full() : undefined);
  return () => (x.memory.before = () => undefined);
};

export const volume = (free: number) => (x: Installation) => {
  let space = free;
  const read = async () => ({ bavail: space, blocks: 1_000, bsize: MiB });
  const watch = () =>
    x.watch((base) => watchVolume(base, '/data', read as unknown as Parameters<typeof watchVolume>[2]));
  return { subject: '', fault: async () => (await watch(), x.pass(11)), mend: async () => void (space = 500) };
};

export const failing = (park: string, status: number) => (request: Parameters<Installation['say']['sensors']>[0]) =>
  parkOf(request) === park ? httpAnswer(status, status === 400 ? [{ location: ['bad'] }] : {}) : accepted(request);

export const dropAllLetters = (x: Installation): Promise<number> => {
  const shell = { ...recordingShell(), clock: x.clock };
  const stay = { close: async () => undefined };
  const openStores = async () => ({ bus: { ...x.process.bus, ...stay }, kv: { ...x.kv, ...stay } });
  const program = createProgram(shell, testAbout, [dlqCommand({ shell, sender: () => 'up', openStores })]);
  return runProgram(shell, program, ['dlq', 'drop', '--all', '--yes']);
};

export const step = (x: Installation, name: SosStep['step']): Promise<void> => {
  const at = new Date(x.clock.now()).toISOString();
  const value = { v: 1, integration_id: parks.a, source: device, event_id: 'e', sos: 'declared', recorded_at: at };
  const more = { received_at: at, step: name, at, parts: ['message'] };
  return x.process.bus.publish(topics.sosLog.name, [
    { key: `${parks.a}:${device}`, value: JSON.stringify({ ...value, ...more }) },
  ]);
};

/** A pull has read an event of a site. */
export const siteEvent = (x: Installation): Promise<void> => {
  const event_id = 'event-1';
  const received_at = new Date(x.clock.now()).toISOString();
  const row = { id: event_id, time: received_at, updated_at: received_at, event_type: 'fire' };
  const about = { v: 1, integration_id: parks.site, event_id, received_at, site: 'https://site.example' };
  return x.process.bus.publish(topics.siteEvents.name, [
    { key: `${parks.site}:${event_id}`, value: JSON.stringify({ ...about, with_files: false, row }) },
  ]);
};

/** An SOS that cannot be stored; `comesAgain`: the vendor sends it once more after the mend. */
export const emergenciesFailing =
  (subject: string, comesAgain: boolean) =>
  (x: Installation): Scenario => {
    let heal: (() => void) | undefined;
    const sos = { messageCode: 4, timeStamp: x.clock.now() };
    const fault = async () => (
      (heal = breakWrites(x, topics.emergencies.name)),
      await x.webhook(parks.a, sos),
      await x.pass(6)
    );
    const mend = async () => (heal?.(), comesAgain && (await x.webhook(parks.a, sos)));
    return { subject, fault, mend, unready: ['webhook-ingester'] };
  };

/** A file that the marker of the directory tells of is not there; its owner begins with an empty one. */
export const lostFile = (
  x: Installation,
  name: 'bus_lost' | 'store_lost',
  open: (dir: DataDir) => Promise<Opened<{ close(): Promise<void> }>>,
): Scenario => ({
  subject: '',
  async fault() {
    const paths = { bus: x.fileOf('bus.sqlite'), kv: x.fileOf('kv.sqlite') };
    const since = '2026-01-01T00:00:00Z';
    const marker = () => ({ bus_since: since, kv_since: since });
    const dir = { paths, marker, record: async () => undefined } as unknown as DataDir;
    await (await open(dir)).store.close();
  },
  mend: () => dismissCondition(x.kv, { name, subject: '' }, x.clock.now()),
});

/** A process of another machine wrote its conditions so long ago, ms. */
export const lastWrite = async (x: Installation, service: string, agoMs: number): Promise<void> => {
  const before = JSON.parse((await x.kv.reserved.get('conditions')) ?? '{}') as object;
  const section = { service, at: x.clock.now() - agoMs, states: [] };
  await x.kv.reserved.set('conditions', JSON.stringify({ ...before, [`other ${service}`]: section }));
};
