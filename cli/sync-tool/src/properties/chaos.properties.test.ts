import { tmpdir } from 'node:os';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { SyncPlan } from '@ranger-relay/contracts';
import { seededRandom } from '@ranger-relay/runtime/testing';
import { below, openChaos, type Chaos, type Story } from './chaos.ts';

/** SYNC_CASES makes the run long. */
const cases = Number(process.env['SYNC_CASES'] ?? 12);
const first = Number(process.env['SYNC_SEED'] ?? 1);
const seeds = Array.from({ length: cases }, (_, index) => first + index);
const verbose = process.env['SYNC_VERBOSE'] !== undefined;

/** Employees with more than one active subject. */
const twice = ({ site }: Chaos): string[] => {
  const members = site
    .state()
    .subjects.flatMap(({ is_active, additional }) => (is_active ? [String(additional['ext_member_id'] ?? '')] : []))
    .filter((member) => member !== '');
  return members.filter((member, index) => members.indexOf(member) !== index);
};

const add = (sum: Story, story: Story): void => {
  for (const [name, count] of Object.entries(story)) Reflect.set(sum, name, Reflect.get(sum, name) + count);
};

const nothing = (): Story => ({ runs: 0, killed: 0, failed: 0, refused: 0, edits: 0 });

/** Runs of both areas end, whatever a person does by now no more. */
const converge = async (here: Chaos): Promise<void> => {
  await here.calm();
  for (const area of here.areas) await here.run(area);
};

const planned = async (here: Chaos): Promise<unknown[]> => {
  const changes: unknown[] = [];
  for (const area of here.areas) {
    const planOut = join(area.folder, 'plan.json');
    await here.run(area, { planOut });
    changes.push(...(JSON.parse(readFileSync(planOut, 'utf8')) as SyncPlan).changes);
  }
  return changes;
};

test.serial(
  'beside a person, another area, a throttle, outages, late writes and kills nothing of the person is lost, nobody is there twice, and undo restores',
  async (t) => {
    t.timeout(120_000 + cases * 15_000);
    const sum = nothing();
    for (const seed of seeds) {
      const chance = seededRandom(seed);
      const here = await openChaos(t, seed, chance);
      for (let step = 0; step < 4; step += 1) {
        const area = here.areas[below(chance, 2)]!;
        here.trouble();
        const dice = chance.next();
        if (dice < 0.25) await here.resume(area);
        else if (dice < 0.45) await Promise.all(here.areas.map((each) => here.run(each)));
        else await here.run(area, dice < 0.8 ? { killAt: 1 + below(chance, 10) } : {});
      }
      await converge(here);
      t.deepEqual(await planned(here), [], `seed ${seed}: a dry run after the runs plans a write`);
      t.deepEqual(twice(here), [], `seed ${seed}: twice`);
      t.deepEqual(
        here.person.lost().filter((cell) => !cell.includes('"member"')),
        [],
        `seed ${seed}: field`,
      );
      const left = await here.undo();
      // An entry is taken back whole or left whole: who changed one member of it since keeps the others as the run wrote them.
      t.deepEqual(
        here.person.lost().filter((cell) => ![...left].some((id) => cell.includes(`"${id}"`))),
        [],
        `seed ${seed}: lost`,
      );
      const { types, choices, subjects } = here.site.state();
      for (const row of here.before.types.filter(({ id }) => !left.has(id)))
        t.like(
          types.find(({ id }) => id === row.id),
          here.person.applied('types', row),
          `seed ${seed}`,
        );
      for (const row of here.before.choices.filter(({ id }) => !left.has(id)))
        t.like(
          choices.find(({ id }) => id === row.id),
          here.person.applied('choices', row),
          `seed ${seed}`,
        );
      for (const row of here.before.subjects.filter(({ id }) => !left.has(id)))
        t.like(
          subjects.find(({ id }) => id === row.id),
          here.person.applied('subjects', row),
          `seed ${seed}`,
        );
      const known = new Set(
        [...here.before.choices, ...here.before.subjects, ...here.before.types].map(({ id }) => id),
      );
      t.deepEqual(
        [...types, ...choices, ...subjects].filter(
          ({ id, is_active }) => is_active && !known.has(id) && !here.person.touched.has(id),
        ),
        [],
        `seed ${seed}: left active`,
      );
      if (verbose) t.log(seed, JSON.stringify(here.story));
      add(sum, here.story);
    }
    t.log(`${cases} cases: ${JSON.stringify(sum)}`);
    t.true(sum.killed > 0 && sum.edits > 0);
  },
);

test.serial('of two machines that share no lock nobody is left twice, and both areas have their fields', async (t) => {
  t.timeout(120_000 + cases * 15_000);
  const sum = nothing();
  const machine = mkdtempSync(join(tmpdir(), 'sync-machine-'));
  t.teardown(() => rmSync(machine, { recursive: true, force: true }));
  for (const seed of seeds) {
    const chance = seededRandom(seed);
    const here = await openChaos(t, seed, chance);
    const [a, b] = here.areas as [Chaos['areas'][0], Chaos['areas'][0]];
    here.trouble();
    const other = { ...(chance.next() < 0.5 ? a : b), folder: b.folder };
    await Promise.all([here.run(a), here.run(other, { machine })]);
    await converge(here);
    t.deepEqual(await planned(here), [], `seed ${seed}: a dry run after the runs plans a write`);
    t.deepEqual(twice(here), [], `seed ${seed}: twice`);
    const form = here.site.state().form as { json: { properties: Record<string, unknown> } };
    t.true(
      ['ext_weather', 'ext_crew'].every((field) => field in form.json.properties),
      `seed ${seed}`,
    );
    add(sum, here.story);
  }
  t.log(`${cases} cases: ${JSON.stringify(sum)}`);
});
