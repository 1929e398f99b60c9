import type { SyncPlan } from '@ranger-relay/contracts';
import { type SiteSimulator, startSite } from '@ranger-relay/simulators';
import { createWays, type Fault, type Ways } from '../faults.ts';
import { createNetwork } from '../network.ts';
import { createSimulation, type Observers, type Simulation } from '../simulation.ts';
import { areaIds, type AreaName, areaNames, bundleFolder, writeExport } from './bundles.ts';
import { createWorldDisk, type WorldDisk } from './disk.ts';
import { type CallEnd, createOperator, type Operator } from './operator.ts';
import { openPerson, type Person } from './person.ts';
import { createRecords, type Records } from './records.ts';
import { createSyncTruth, type SyncTruth } from './truth.ts';

/** What an operator does; `export`: the area's external system exports a new version; `replan`: so it does, and the plan is made anew. */
export const verbs = ['run', 'plan', 'apply', 'resume', 'undo', 'undo approved', 'verify', 'export', 'replan'] as const;

/** One step of an operator. */
export interface OperatorStep {
  readonly operator: string;
  readonly area: AreaName;
  readonly verb: (typeof verbs)[number];
  /** Time since the operator's last act ended, ms. */
  readonly waitMs: number;
}

/** What the operators have in common: a machine, the folder of the records on a volume, or nothing, so that no lock holds. */
export const settings = ['one machine', 'one volume', 'nothing'] as const;

/** A world of the sync, as plain data. */
export interface SyncWorldOptions {
  readonly seed: number;
  readonly setting: (typeof settings)[number];
  readonly acts: readonly OperatorStep[];
  readonly faults: readonly Fault[];
  /** Shortest time that the site takes for a request, ms. */
  readonly latencyMs: number;
  /** Chance of an edit of a person before each request, and the time between two edits, ms. */
  readonly editShare: number;
  readonly editEveryMs: number;
}

/** A site with two areas, two operators and a person. */
export interface SyncWorld {
  readonly simulation: Simulation;
  readonly ways: Ways;
  readonly disk: WorldDisk;
  readonly site: SiteSimulator;
  readonly operators: readonly Operator[];
  readonly person: Person;
  readonly records: Records;
  readonly truth: SyncTruth;
  /** Carries out an act. */
  act(act: Omit<OperatorStep, 'waitMs'>): Promise<CallEnd | undefined>;
  /** A disk that is slow until then keeps processes from refreshing their locks for a minute more. */
  slowDisk(untilMs: number): void;
  /** The person edits nothing from now on. */
  stopEdits(): void;
}

const planPath = (area: AreaName): string => `/records/plan-${area}.json`;

export const operatorNames = ['ann', 'ben'] as const;

/** What earlier runs and people left: a subject to update, one whose employee has gone, another person's, an option and a type to rename. */
const leftovers = {
  types: [{ value: 'patrol_transport0', display: 'Walk' }],
  choices: [
    { field: 'patrol_mandate', value: 'routine', display: 'Old' },
    { field: 'patrol_mandate', value: 'of_an_admin', display: 'Of an admin' },
  ],
  subjects: [
    { name: 'Old', additional: { ext_member_id: 'e000'.repeat(8), ext_employee_id: 'staff-0', phone: '0' } },
    {
      name: 'Gone',
      additional: {
        ext_member_id: 'e0f0'.repeat(8),
        ext_managed_by: 'patrol-datamodel',
        ext_conservation_area: areaIds.a,
      },
    },
    { name: 'Somebody else', additional: { colour: 'red' } },
  ],
};

type Call = Operator['call'];

const undo = async (call: Call, path: string, isApproved: boolean): Promise<CallEnd> => {
  if (!isApproved) return call(['undo', path]);
  const { code, out, err } = await call(['--dry-run', 'undo', path, '--output', 'json']);
  const hash = code === 0 || code === 3 ? (JSON.parse(out) as { plan_hash: string | null }).plan_hash : null;
  return hash === null ? { code, out, err } : call(['undo', path, '--approved', hash], hash);
};

/** Creates a world; it runs when its simulation runs. */
export const createSyncWorld = async (options: SyncWorldOptions, observers: Observers): Promise<SyncWorld> => {
  const { seed, setting, latencyMs, editShare, editEveryMs } = options;
  const simulation = createSimulation(seed, observers);
  const { clock, chance } = simulation;
  const ways = createWays(simulation);
  const disk = createWorldDisk(simulation);
  let isEditing = true;
  const eager = chance('edits');
  const network = createNetwork(simulation, ways.fate, {
    onArrival(request) {
      truth.arrived({ ...request, body: Buffer.from(request.body).toString() });
      if (isEditing && eager.next() < editShare) truth.edit();
    },
    onResponse: () => truth.look(),
  });
  const site = await startSite({
    host: 'site.world',
    port: 0,
    clock,
    listen: network.listen,
    random: chance('site'),
    state: leftovers,
    logLimit: 100,
    latencyMs,
  });
  const machines = setting === 'one machine' ? (['m', 'm'] as const) : (['m', 'n'] as const);
  const isApart = setting === 'nothing';
  const folderOf = (operator: string, area: AreaName): string => {
    if (isApart) return `/records/${operator}`;
    return setting === 'one volume' ? '/records/all' : `/records/${area}`;
  };
  const folders = [...new Set(operatorNames.flatMap((name) => areaNames.map((area) => folderOf(name, area))))];
  for (const folder of [...folders, '/machines/m', '/machines/n']) disk.put(`${folder}/.keep`, '');
  const versions = { a: 1, b: 1 };
  for (const area of areaNames) writeExport(disk, seed, area, versions[area]);
  const person = openPerson(site, chance('person'));
  const records = createRecords(disk, folders);
  /** Until when a slow disk may keep a process from refreshing its lock. */
  let diskSlowUntil = 0;
  const isLocked = (): boolean => !isApart && clock.monotonic() > diskSlowUntil;
  const truth = createSyncTruth({ simulation, site, person, records, isLocked });
  const surroundings = { simulation, fate: ways.fate, network, disk, watch: truth.sent };
  const operators = operatorNames.map((name, index) => createOperator(surroundings, name, machines[index] ?? 'm'));
  const approvals = new Map<string, string>();

  /** While somebody removes a lock by force nobody else begins anything. */
  let forced: Promise<unknown> = Promise.resolve();
  const isAnyAtWork = (): boolean => operators.some((each) => each.current() !== undefined);

  /** A call of an operator, who removes the lock of a run that was killed: they have looked, and nothing runs. */
  const callOf =
    (operator: Operator): Call =>
    async (args, approved) => {
      await forced;
      const end = await operator.call(args, approved);
      if (end.code !== 1 || !/^Another run works on this site/m.test(end.err) || isAnyAtWork()) return end;
      const again = operator.call([...args, '--force-unlock'], approved);
      forced = again;
      return again;
    };

  const planOf = async (operator: Operator, area: AreaName, args: readonly string[]): Promise<CallEnd> => {
    const path = planPath(area);
    const end = await operator.call(['--dry-run', 'patrol-datamodel', ...args, '--plan-out', path, '--output', 'json']);
    if (end.code !== 0) return end;
    const { plan_hash } = JSON.parse(end.out) as { plan_hash: string };
    const plan = JSON.parse(disk.read(path) ?? '{}') as SyncPlan;
    // The operator reads the plan and approves its hash; another one may have written another plan by now.
    if (plan.hash === plan_hash) truth.approve(plan);
    approvals.set(`${operator.name} ${area}`, plan_hash);
    return end;
  };

  const act: SyncWorld['act'] = async ({ operator: name, area, verb }) => {
    const operator = operators.find((each) => each.name === name);
    if (!operator) return undefined;
    const folder = folderOf(name, area);
    const checklist = ['--checklist', `${folder}/checklist.md`];
    const args = ['--bundle', bundleFolder(area), ...checklist];
    const path = records.paths(area).findLast((each) => !isApart || each.startsWith(`${folder}/`));
    const call = callOf(operator);
    switch (verb) {
      case 'export':
        versions[area] += 1;
        writeExport(disk, seed, area, versions[area]);
        return undefined;
      case 'replan':
        // Another plan takes the place of the approved one, and nobody approves it.
        await act({ operator: name, area, verb: 'export' });
        return operator.call(['--dry-run', 'patrol-datamodel', ...args, '--plan-out', planPath(area)]);
      case 'run':
        return call(['patrol-datamodel', ...args]);
      case 'plan':
        return planOf(operator, area, args);
      case 'apply': {
        const hash = approvals.get(`${name} ${area}`);
        const plan = planPath(area);
        return hash === undefined ? undefined : call(['apply', '--plan', plan, '--approved', hash, ...checklist], hash);
      }
      case 'resume': {
        const plan = path === undefined ? undefined : records.read(path)?.plan;
        const hash = plan === undefined || path === undefined ? undefined : records.read(path)?.plan_hash;
        return path === undefined ? undefined : call(['resume', path], hash);
      }
      case 'undo':
      case 'undo approved':
        return path === undefined ? undefined : undo(call, path, verb === 'undo approved');
      case 'verify':
        return call(['verify', ...args]);
    }
  };

  const edit = (): void =>
    void clock.after(-Math.log(1 - eager.next()) * editEveryMs, () => {
      if (!isEditing) return;
      truth.edit();
      edit();
    });
  edit();
  return {
    simulation,
    ways,
    disk,
    site,
    operators,
    person,
    records,
    truth,
    act,
    slowDisk: (untilMs) => void (diskSlowUntil = Math.max(diskSlowUntil, untilMs + 120_000)),
    stopEdits: () => void (isEditing = false),
  };
};
