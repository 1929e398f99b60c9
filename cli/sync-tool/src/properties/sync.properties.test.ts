import { plainId } from '@ranger-relay/site';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { SyncPlan } from '@ranger-relay/contracts';
import { seededRandom } from '@ranger-relay/runtime/testing';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { choiceKey } from '../resources/choice.ts';
import { caseBundle, killedAt, startCases, type Cases, type Moment } from './test/case.ts';
import { shuffleBundle } from './test/shuffle.ts';
import { essence, presentState, undoneFrom } from './test/states.ts';

/** SYNC_CASES makes the run long. */
const cases = Number(process.env['SYNC_CASES'] ?? 12);
const first = Number(process.env['SYNC_SEED'] ?? 1);
const seeds = Array.from({ length: cases }, (_, index) => first + index);

let here: Cases;
test.before(async () => {
  here = await startCases();
});
test.after.always(() => here?.site.close());

const writesOf = (): string[] =>
  here.site.log.writes().map(({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}/, '<id>')}`);

const tallyOf = (counts: Map<string, number>): string =>
  JSON.stringify(Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))));

const countAll = (counts: Map<string, number>, names: readonly string[]): void => {
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
};

test.serial('a run after a run writes nothing, and what a dry run planned is what the run did', async (t) => {
  t.timeout(60_000 + cases * 3_000);
  const counts = new Map<string, number>();
  for (const seed of seeds) {
    const one = await caseBundle({ seed });
    here.seed(one, seededRandom(seed));
    const site = here.open();
    here.site.log.clear();
    const planned = await here.run(site, one, true);
    t.deepEqual(writesOf(), [], `seed ${seed}: a dry run writes`);
    const done = await here.run(site, one);
    t.is(done.code, 0, `seed ${seed}`);
    const { plan_hash } = planned.json as { plan_hash: SyncPlan['hash'] };
    t.is((done.json as { plan_hash: string }).plan_hash, plan_hash);
    countAll(counts, writesOf());
    here.site.log.clear();
    const again = await here.run(site, one);
    t.is(again.code, 0);
    t.deepEqual(writesOf(), [], `seed ${seed}: the second run writes`);
    shuffleBundle(one.path, seededRandom(seed));
    const shuffled = { folder: one.folder, bundle: await readBundle(one.path) };
    t.is((await here.run(site, shuffled)).code, 0);
    t.deepEqual(writesOf(), [], `seed ${seed}: the order of records is written`);
    site.close();
    one.remove();
  }
  t.log(`${cases} cases, writes: ${tallyOf(counts)}`);
  t.true(['POST', 'PATCH', 'PUT'].every((method) => [...counts.keys()].some((name) => name.startsWith(method))));
});

type State = ReturnType<typeof here.site.state>;

/** Undoes the runs of a folder: every entry, as a dry run says, and the site is as `before` but for what cannot be taken away. */
const undoAll = async (
  t: ExecutionContext,
  site: ReturnType<typeof here.open>,
  folder: string,
  { before, after, seed }: { readonly before: State; readonly after: State; readonly seed: number },
): Promise<void> => {
  const planned = await here.undo(site, folder, true);
  const { report } = await here.undo(site, folder);
  const told = ({ entries }: typeof report) =>
    entries.map(({ object, outcome, detail }) => ({ object, outcome, detail }));
  t.deepEqual(told(report), told(planned.report), `seed ${seed}`);
  t.deepEqual(
    report.entries.filter(({ outcome }) => outcome !== 'undone' && outcome !== 'already'),
    [],
    `seed ${seed}`,
  );
  t.deepEqual(presentState(here.site.state()), undoneFrom(before, after), `seed ${seed}`);
};

test.serial(
  'undo after a run does what its dry run says and leaves the site as it was, but for what cannot be taken away',
  async (t) => {
    t.timeout(60_000 + cases * 3_000);
    const counts = new Map<string, number>();
    for (const seed of seeds) {
      const one = await caseBundle({ seed });
      here.seed(one, seededRandom(seed));
      const site = here.open();
      const before = here.site.state();
      t.is((await here.run(site, one)).code, 0);
      const after = here.site.state();
      here.site.log.clear();
      if (here.recordsOf(one.folder).length > 0) await undoAll(t, site, one.folder, { before, after, seed });
      else t.deepEqual(presentState(here.site.state()), undoneFrom(before, after), `seed ${seed}`);
      countAll(counts, writesOf());
      site.close();
      one.remove();
    }
    t.log(`${cases} cases, writes: ${tallyOf(counts)}`);
  },
);

/** One run that is killed; answers the folder as the kill left it, or undefined when it made fewer writes. */
const killRun = async (one: Awaited<ReturnType<typeof caseBundle>>, n: number, moment: Moment) => {
  const site = here.open();
  const left = join(one.folder, 'left');
  mkdirSync(left);
  const work = join(one.folder, 'work');
  mkdirSync(work);
  const { client, killed } = killedAt(site, n, moment, work, left);
  await here.run(client, { bundle: one.bundle, folder: work }).catch(() => undefined);
  site.close();
  return killed() ? left : undefined;
};

for (const then of ['resume', 'undo'] as const)
  test.serial(
    `a run that is killed at any write and then ${then === 'resume' ? 'resumed ends as one that was not' : 'undone leaves the site as it was'}`,
    async (t) => {
      t.timeout(60_000 + cases * 4_000);
      const counts = new Map<string, number>();
      for (const seed of seeds) {
        const chance = seededRandom(seed * 7);
        const one = await caseBundle({ seed });
        here.seed(one, seededRandom(seed));
        const before = here.site.state();
        const site = here.open();
        t.is((await here.run(site, one)).code, 0);
        const whole = here.site.state();
        here.seed(one, seededRandom(seed));
        const start = here.site.state();
        t.deepEqual(essence(start), essence(before));
        const moment: Moment = seed % 2 === 0 ? 'before' : 'after';
        const left = await killRun(one, 1 + Math.floor(chance.next() * 30), moment);
        counts.set(
          left ? `killed ${moment}` : 'not killed',
          (counts.get(left ? `killed ${moment}` : 'not killed') ?? 0) + 1,
        );
        if (left) {
          const after = here.site.state();
          const [record] = here.recordsOf(left);
          if (record === undefined)
            t.deepEqual(presentState(after), presentState(start), `seed ${seed}: written without a record`);
          else if (then === 'resume') {
            t.is((await here.resume(site, record, { ...one, folder: left })).code, 0, `seed ${seed}`);
            t.deepEqual(essence(here.site.state()), essence(whole), `seed ${seed}`);
          } else await undoAll(t, site, left, { before: start, after, seed });
        }
        site.close();
        one.remove();
      }
      t.log(`${cases} cases: ${tallyOf(counts)}`);
    },
  );

test.serial('an undo that is killed at any write and then repeated ends as one that was not', async (t) => {
  t.timeout(60_000 + cases * 4_000);
  let killed = 0;
  for (const seed of seeds) {
    const one = await caseBundle({ seed });
    here.seed(one, seededRandom(seed));
    const before = here.site.state();
    const site = here.open();
    t.is((await here.run(site, one)).code, 0);
    const after = here.site.state();
    const left = `${one.folder}-left`;
    const n = 1 + Math.floor(seededRandom(seed * 11).next() * 30);
    const dying = killedAt(site, n, seed % 2 === 0 ? 'before' : 'after', one.folder, left);
    await here.undo(dying.client, one.folder).catch(() => undefined);
    if (dying.killed()) killed += 1;
    await undoAll(t, site, dying.killed() ? left : one.folder, { before, after, seed });
    site.close();
    one.remove();
    rmSync(left, { recursive: true, force: true });
  }
  t.log(`${cases} cases, ${killed} killed`);
  t.true(killed > 0);
});

test.serial(
  'of two areas on one site neither run changes what only the other names, and says how much it left alone',
  async (t) => {
    t.timeout(60_000 + cases * 3_000);
    let left = 0;
    for (const seed of seeds) {
      const [one, other] = [
        await caseBundle({ seed, areaId: '01' }),
        await caseBundle({ seed: seed + 10_000, areaId: '02' }),
      ];
      here.seed(one, seededRandom(seed));
      const site = here.open();
      t.is((await here.run(site, one)).code, 0);
      const before = here.site.state();
      const { code, json } = await here.run(site, other);
      t.is(code, 0);
      const after = here.site.state();
      const named = new Set(
        [...other.desired.choices].flatMap(([field, options]) =>
          options.map(({ value }) => `${field} ${choiceKey(field, value)}`),
        ),
      );
      const alone = before.choices.filter(({ field, value }) => !named.has(`${field} ${choiceKey(field, value)}`));
      for (const choice of alone)
        t.deepEqual(
          after.choices.find(({ id }) => id === choice.id),
          choice,
          `seed ${seed}`,
        );
      const members = new Set(other.desired.people.subjects.map(({ member }) => member));
      for (const subject of before.subjects)
        if (!members.has(plainId(String(subject.additional['ext_member_id']))))
          t.deepEqual(
            after.subjects.find(({ id }) => id === subject.id),
            subject,
            `seed ${seed}`,
          );
      const ours = alone.filter(({ field }) => other.desired.choices.has(field));
      t.is((json as { options_not_in_bundle: number }).options_not_in_bundle, ours.length, `seed ${seed}`);
      left += ours.length;
      site.close();
      for (const each of [one, other]) each.remove();
    }
    t.log(`${cases} cases, ${left} options left alone`);
    t.true(left > 0);
  },
);
