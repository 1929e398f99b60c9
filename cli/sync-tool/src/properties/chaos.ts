import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import * as disk from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runRecordSchema } from '@ranger-relay/contracts';
import type { Clock, Random } from '@ranger-relay/runtime';
import { freshSite, siteFaults, type SiteSimulator, type SiteState } from '@ranger-relay/simulators';
import { openSite, type Site } from '@ranger-relay/site';
import { readBundle } from '../bundle/index.ts';
import type { Bundle } from '../bundle/model.ts';
import { managedBy } from '../resources/employees.ts';
import type { Result } from '../program/action.ts';
import { resumeRun } from '../program/resume.ts';
import { syncRun } from '../program/sync.ts';
import { undoRuns } from '../undo/undo.ts';
import { employee, id, named, transport, writeTestBundle, type TestBundle } from '../test/bundle.ts';
import { openFront } from '../test/front.ts';
import { testShell, virtualClock } from '../test/shell.ts';
import { killedAt, recordsOf } from './case.ts';
import { openPerson, type Person } from './person.ts';

type Chance = Pick<Random, 'next'>;

const quiet = { debug: () => undefined, warn: () => undefined };
const options = { language: 'en', subject_name_suffix: false, roster_group: null, replace_segment_schema: false };
const flags = { patience: 120 };
const note = (): void => undefined;

/** Below a whole number. */
export const below = ({ next }: Chance, end: number): number => Math.floor(next() * end);

/** One area with its bundle and the folder that its records go to. */
export interface Area {
  readonly name: string;
  readonly path: string;
  readonly bundle: Bundle;
  /** Another one after each kill: what the dead process left. */
  folder: string;
}

const attribute = (pair: string, key: string, type: string) => ({
  uuid: id(pair),
  key,
  type,
  options: [],
  ...named(key),
});

/** Both areas have one vocabulary, a field of their own, and one ranger who is in both. */
const contents: Readonly<Record<'a' | 'b', TestBundle>> = {
  a: {
    transports: [transport('b1', 'foot'), transport('b2', 'boat')],
    stations: [{ uuid: id('c1'), ...named('Post One') }],
    patrol_attributes: [attribute('e1', 'weather', 'NUMERIC')],
    employees: ['f1', 'f2', 'f3', 'f4', 'f5'].map((pair) => employee(pair)),
    area: { uuid: id('aa'), id: '051', name: 'Area A' },
  },
  b: {
    transports: [transport('b1', 'foot')],
    stations: [{ uuid: id('c2'), ...named('Post Two') }],
    patrol_attributes: [attribute('e2', 'crew', 'TEXT')],
    employees: ['f5', 'f6', 'f7', 'f8'].map((pair) => employee(pair)),
    area: { uuid: id('bb'), id: '052', name: 'Area B' },
    exportedAt: '2026-02-28T00:00:00+00:00',
  },
};

const openArea = async (root: string, name: 'a' | 'b'): Promise<Area> => {
  const path = join(root, name, 'export');
  mkdirSync(join(root, name));
  await writeTestBundle(path, contents[name]);
  return { name, path, bundle: await readBundle(path), folder: join(root, name) };
};

/** What earlier runs and people left: a ranger to patch, one who has gone, another person's subject, an option and a type to rename. */
const seed = {
  types: [{ value: 'patrol_foot', display: 'Walk' }],
  choices: [
    { field: 'patrol_mandate', value: 'routine', display: 'Old' },
    { field: 'patrol_mandate', value: 'of_an_admin', display: 'Of an admin' },
  ],
  subjects: [
    { name: 'Old f1', additional: { ext_member_id: id('f1'), ext_employee_id: 'staff-f1', phone: '0' } },
    {
      name: 'Gone',
      additional: { ext_member_id: id('f0'), ext_managed_by: managedBy, ext_conservation_area: id('aa') },
    },
    { name: 'Somebody else', additional: { colour: 'red' } },
  ],
};

/** How a step of the story went. */
export interface Story {
  runs: number;
  killed: number;
  failed: number;
  refused: number;
  edits: number;
}

/** How a run goes. */
export interface How {
  readonly planOut?: string;
  /** The process is killed at this write. */
  readonly killAt?: number;
  /** Folder of the temporary files of another machine. */
  readonly machine?: string;
}

/** A site, two areas, a person, and everything that can go wrong. */
export interface Chaos {
  readonly site: SiteSimulator;
  readonly before: SiteState;
  readonly areas: readonly Area[];
  readonly person: Person;
  readonly story: Story;
  /** Lets something go wrong with the site, at random. */
  trouble(): void;
  /** Until nothing is wrong any more and all late writes have happened. */
  calm(): Promise<void>;
  /** @param how a run with `planOut` is a dry one */
  run(area: Area, how?: How): Promise<Result | undefined>;
  /** Finishes the last run of an area, when it has not come to its end. */
  resume(area: Area): Promise<Result | undefined>;
  /** Takes back everything that any run recorded, newest first. @returns ids of objects of which it left an entry, and said so */
  undo(): Promise<ReadonlySet<string>>;
}

const settleMs = 60 * 60_000;
/** A write that a gateway gave up on comes within the time that a run waits for it. */
const lateMs = 9_000;

/** Opens the story of one seed. */
export const openChaos = async (t: Parameters<typeof openFront>[0], number: number, chance: Chance): Promise<Chaos> => {
  const root = mkdtempSync(join(tmpdir(), 'sync-chaos-'));
  const clock: Clock = virtualClock();
  const site = await freshSite({ clock, seed: number, state: seed });
  t.teardown(async () => {
    await site.close();
    rmSync(root, { recursive: true, force: true });
  });
  const person = openPerson(site, chance);
  const before = site.state();
  const story: Story = { runs: 0, killed: 0, failed: 0, refused: 0, edits: 0 };
  let [isCalm, isWriting, kills] = [false, false, 0];
  const front = await openFront(t, site, async ({ method }) => {
    if (isCalm) return;
    // Without ETags a write that is on its way already goes over an edit: the person acts between the plan and the first write.
    isWriting ||= method !== 'GET';
    if (!isWriting && chance.next() < 0.3 && person.edit()) story.edits += 1;
    if (method !== 'GET' && chance.next() < 0.01) await site.away(5_000 + below(chance, 60_000));
  });
  const open = (): Site =>
    openSite({ address: front, token: site.token, clock, log: quiet, userAgent: 'test', patienceMs: 120_000 });
  const shellOn = (machine?: string) => testShell(machine === undefined ? {} : { TMPDIR: machine }, clock);
  const ended = (result: Result): Result => {
    if (result.code !== 0) story.failed += 1;
    return result;
  };
  const broken = (error: unknown): undefined => {
    if ((error as { code?: string }).code === 'locked') story.refused += 1;
    else story.failed += 1;
  };
  /** The next call begins when late writes of the last one have happened. */
  const next = async (): Promise<void> => {
    await clock.sleep(20_000);
    isWriting = false;
  };
  return {
    site,
    before,
    person,
    story,
    areas: [await openArea(root, 'a'), await openArea(root, 'b')],
    trouble() {
      site.faults.clear();
      const dice = chance.next();
      const [skip, count] = [below(chance, 8), 1 + below(chance, 2)];
      if (dice < 0.15) site.faults.set({ ...siteFaults.throttled(1 + below(chance, 20)), skip, count });
      else if (dice < 0.45)
        site.faults.set({ ...siteFaults.late(1 + below(chance, lateMs)), method: 'POST', skip, count });
      else if (dice < 0.6)
        site.faults.set({ ...siteFaults.late(1 + below(chance, lateMs)), method: 'PATCH', skip, count });
      else if (dice < 0.7) site.faults.set({ ...siteFaults.cut('after'), method: 'POST', skip, count });
      else if (dice < 0.8) site.faults.set({ ...siteFaults.gateway(502, 'after'), method: 'PUT', count });
      site.set({ throttle_per_minute: chance.next() < 0.2 ? 60 : 0 });
    },
    async calm() {
      isCalm = true;
      site.faults.clear();
      site.set({ throttle_per_minute: 0 });
      await clock.sleep(settleMs);
      while (
        !(await fetch(front).then(
          () => true,
          () => false,
        ))
      )
        await clock.sleep(1_000);
    },
    async run(area, { planOut, killAt, machine } = {}) {
      const dryRun = planOut !== undefined;
      await next();
      const left = join(root, `left-${(kills += 1)}`);
      const client = open();
      const killed =
        killAt === undefined
          ? undefined
          : killedAt(client, killAt, chance.next() < 0.5 ? 'before' : 'after', area.folder, left);
      if (!dryRun) story.runs += 1;
      try {
        return ended(
          await syncRun({
            shell: shellOn(machine),
            site: killed?.client ?? client,
            bundle: area.bundle,
            flags,
            options,
            checklist: join(area.folder, 'checklist.md'),
            dryRun,
            planOut,
            note,
          }),
        );
      } catch (error) {
        return broken(error);
      } finally {
        client.close();
        if (killed?.killed()) {
          story.killed += 1;
          area.folder = left;
        }
      }
    },
    async resume(area) {
      const record = recordsOf(area.folder).at(-1);
      if (record === undefined) return undefined;
      await next();
      const client = open();
      try {
        return ended(
          await resumeRun(
            shellOn(),
            client,
            record,
            { ...flags, bundle: area.path, checklist: join(area.folder, 'checklist.md') },
            note,
          ),
        );
      } catch (error) {
        return broken(error);
      } finally {
        client.close();
      }
    },
    async undo() {
      const records = (this as Chaos).areas.flatMap(({ folder }) => recordsOf(folder));
      const client = open();
      try {
        const { report } = await undoRuns({
          site: client,
          disk,
          tool: 'test',
          clock,
          locks: [],
          records,
          force: new Set(),
          deleteSubjects: false,
          dryRun: false,
          signal: new AbortController().signal,
        });
        const left = report.entries.filter(({ outcome }) => outcome === 'left');
        return new Set(
          left.map(({ record, entry }) => {
            const path = records.find((each) => basename(each) === record) ?? '';
            return String(
              Reflect.get(runRecordSchema.parse(JSON.parse(readFileSync(path, 'utf8'))).changes[entry] ?? {}, 'id'),
            );
          }),
        );
      } finally {
        client.close();
      }
    },
  };
};
