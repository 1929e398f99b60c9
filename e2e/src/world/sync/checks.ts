import { isDeepStrictEqual } from 'node:util';
import { type SyncPlan, undoReportSchema } from '@ranger-relay/contracts';
import type { SiteState } from '@ranger-relay/simulators';
import { resourceOf } from 'sync-tool/src/resources/index.ts';
import type { Violation } from '../truth.ts';
import { areaNames, bundleFolder } from './bundles.ts';
import type { CallEnd } from './operator.ts';
import { type Table, tables } from './person.ts';
import { memberIn } from './records.ts';
import type { SyncWorld } from './world.ts';

type Row = { readonly id: string; readonly is_active: boolean };

const stuck = (what: string, { code, err }: CallEnd): Violation => ({
  rule: 'stuck',
  what: `${what} ended with ${code ?? 'a kill'}: ${err.split('\n').slice(-3).join(' ')}`,
  about: [],
});

/** Employees with more than one active subject. */
const membersTwice = ({ subjects }: SiteState): string[] => {
  const members = subjects
    .filter(({ is_active }) => is_active)
    .map(({ additional }) => memberIn(additional))
    .filter((member) => member !== '');
  return members.filter((member, index) => members.indexOf(member) !== index);
};

/** After a run of each area nothing is left to do, nobody is there twice, and no field of the person's is gone. */
export const settledViolations = async ({ operators, disk, site, person, act }: SyncWorld): Promise<Violation[]> => {
  const violations: Violation[] = [];
  const operator = operators[0];
  if (!operator) return [];
  for (const area of areaNames) {
    const end = await act({ operator: operator.name, area, verb: 'run' });
    if (end?.code !== 0)
      violations.push(stuck(`a run of area ${area} without faults`, end ?? { code: 0, out: '', err: '' }));
  }
  for (const area of areaNames) {
    const path = `/records/last-${area}.json`;
    await operator.call([
      '--dry-run',
      'patrol-datamodel',
      '--bundle',
      bundleFolder(area),
      '--checklist',
      `/records/checklist-${area}.md`,
      '--plan-out',
      path,
    ]);
    const { changes } = JSON.parse(disk.read(path) ?? '{"changes":[]}') as SyncPlan;
    if (changes.length > 0)
      violations.push({
        rule: 'unsettled',
        what: `after a run of area ${area}: ${JSON.stringify(changes).slice(0, 500)}`,
        about: [],
      });
  }
  for (const member of membersTwice(site.state()))
    violations.push({ rule: 'created twice', what: `${member} has two active subjects`, about: [member] });
  for (const { cell, what } of person.lost()) if (!cell) violations.push({ rule: 'overwritten', what, about: [] });
  return violations;
};

/** Names of the objects that the newest undo left, and said so. */
const leftObjects = ({ disk, records }: SyncWorld): ReadonlySet<string> => {
  const reports = records.reports().map((path) => undoReportSchema.parse(JSON.parse(disk.read(path) ?? '')));
  const newest = reports.toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1))[0];
  return new Set(newest?.entries.flatMap(({ object, outcome }) => (outcome === 'left' ? [object] : [])));
};

/** After an undo of all records the site is as the person alone would have left it, except what the undo says it left. */
export const undoneViolations = async (world: SyncWorld, before: SiteState): Promise<Violation[]> => {
  const { operators, site, person, records } = world;
  const paths = records.paths();
  const operator = operators[0];
  if (paths.length === 0 || !operator) return [];
  const end = await operator.call(['undo', ...paths]);
  if (end.code !== 0 && end.code !== 3) return [stuck('an undo of all records without faults', end)];
  const left = leftObjects(world);
  // The report names an object as its record does, with the text that the site has; a subject by that text alone.
  const isNamed = (name: string): boolean =>
    [...left].some((object) => object === name || object.startsWith(`${name} `));
  const isLeft = (table: Table, row: Row): boolean =>
    (table === 'subjects' && left.has(`subject ${JSON.stringify(Reflect.get(row, 'name'))}`)) ||
    records.about(table, row).some((change) => isNamed(resourceOf(change).name(change)));
  const state = site.state();
  const violations: Violation[] = person
    .lost()
    .filter(({ cell }) => {
      const row = cell && (state[cell.table] as readonly Row[]).find((each) => each.id === cell.id);
      return cell && row ? !isLeft(cell.table, row) : !left.has('universal patrol fields');
    })
    .map(({ what }): Violation => ({ rule: 'restored', what: `after the undo ${what}`, about: [] }));
  for (const table of tables) {
    const then = new Map((before[table] as readonly Row[]).map((row) => [row.id, row]));
    for (const row of state[table] as readonly Row[]) {
      const first = then.get(row.id);
      const was = first && person.applied(table, first, row);
      if (isLeft(table, row)) continue;
      const isRestored = was ? isDeepStrictEqual(row, was) : !row.is_active || person.touched.has(row.id);
      if (!isRestored)
        violations.push({
          rule: 'restored',
          what: `after the undo ${table} is ${JSON.stringify(row)}, and was ${JSON.stringify(was)}`,
          about: [row.id],
        });
    }
  }
  return violations;
};
