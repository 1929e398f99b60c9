import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { syncPlanSchema, type SyncPlan } from '@ranger-relay/contracts';
import type { FreshSiteOptions, Seed } from '@ranger-relay/simulators';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { hashOf } from '../plan/plan.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const used: Seed = {
  types: [{ value: 'patrol_foot', display: 'Walk' }],
  choices: [
    { field: 'patrol_mandate', value: 'routine', display: 'Old' },
    { field: 'patrol_mandate', value: 'other', display: 'Old' },
  ],
  subjects: [
    { name: 'Ranger One', additional: { ext_member_id: 'f1'.repeat(16), ext_employee_id: '007' }, is_active: false },
    { name: 'Ranger Ten', additional: { ext_member_id: 'fa'.repeat(16), ext_employee_id: '010' }, is_active: false },
  ],
};

const sample = (t: ExecutionContext, options: FreshSiteOptions = {}): Promise<Harness> =>
  openHarness(t, (folder) => writeContractSample(folder), options);

const planFile = ({ folder }: Harness): string => join(folder, 'plan.json');

const planOf = async (here: Harness): Promise<SyncPlan> => {
  await here.dry('--plan-out', planFile(here));
  return syncPlanSchema.parse(JSON.parse(readFileSync(planFile(here), 'utf8')));
};

const apply = (here: Harness, ...more: readonly string[]) =>
  here.run('apply', '--plan', planFile(here), ...here.onSite, '--output', 'json', ...more);

test('apply writes exactly what the plan says; a second apply writes nothing and says that all was there', async (t) => {
  const here = await sample(t, { state: used });
  const plan = await planOf(here);
  t.deepEqual(here.writes(), []);
  const { code } = await apply(here);
  t.is(code, 0);
  t.is(here.writes().length, plan.changes.length);
  t.is(here.record().plan_hash, plan.hash);
  // Another program stores a key of its own, which the plan does not name.
  for (const { id, additional } of here.site.state().subjects)
    here.site.edit('subjects', id, { additional: { ...additional, radio: '7' } });
  const again = await apply(here);
  t.is(again.code, 0);
  t.is(again.json()['already'], plan.changes.length);
  t.deepEqual(here.writes(), []);
  t.is((await here.sync()).code, 0);
  t.deepEqual(here.writes(), []);
});

test('apply in a dry run writes nothing', async (t) => {
  const here = await sample(t);
  await planOf(here);
  const { code } = await here.run('--dry-run', 'apply', '--plan', planFile(here), ...here.onSite);
  t.is(code, 0);
  t.deepEqual(here.writes(), []);
  t.deepEqual(here.records(), []);
});

test('a plan that is not the one that was approved is refused before the site is asked', async (t) => {
  const here = await sample(t);
  const approved = await planOf(here);
  await planOf(here);
  here.writes();
  const other = 'ab'.repeat(32);
  const refused = await apply(here, '--approved', other);
  t.is(refused.code, 1);
  t.like(refused.json(), { ok: false, reason: 'plan_invalid' });
  t.regex(String(refused.json()['message']), new RegExp(`its hash is ${approved.hash}.* approved has ${other}`));
  t.deepEqual([here.writes(), here.records()], [[], []]);
  t.is((await apply(here, '--approved', 'abc')).code, 2);
  t.is((await apply(here, '--approved', approved.hash.toUpperCase())).code, 0);
  t.is(here.writes().length, approved.changes.length);
});

const edits: Readonly<Record<string, Seed>> = {
  'a type': { types: [{ value: 'patrol_foot', display: 'Edited' }] },
  'a type that the plan creates': { types: [{ value: 'patrol_foot', display: 'Walk' }, { value: 'patrol_boat' }] },
  'a choice': { choices: [{ field: 'patrol_mandate', value: 'routine', display: 'Edited' }] },
  'a subject': { subjects: [{ ...used.subjects![0]!, name: 'Edited', is_active: true }] },
  'the roster group of the configuration': { member_groups: [] },
  'the feature flag': { switches: { patrol_schemas: 'off' } },
};

for (const [name, seed] of Object.entries(edits))
  test(`apply stops before the first write when ${name} is neither what the plan saw nor what it writes`, async (t) => {
    const here = await sample(t, { state: used });
    await planOf(here);
    here.site.seed(seed);
    const { code, json } = await apply(here);
    t.is(code, 1);
    t.is(json()['reason'], 'plan_outdated');
    t.deepEqual(here.writes(), []);
  });

const set = (value: unknown, path: readonly (string | number)[], to: unknown): void => {
  const last = path.at(-1) as string;
  const holder = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value);
  (holder as Record<string, unknown>)[last] = to;
};

for (const [name, path, to] of [
  ['a text', ['changes', 0, 'written', 'display'], 'Edited'],
  ['an option', ['options', 'subject_name_suffix'], true],
  ['the area', ['conservation_area', 'id'], '999'],
  ['the hash', ['hash'], '0'.repeat(64)],
] as const)
  test(`apply refuses a plan in which ${name} was edited`, async (t) => {
    const here = await sample(t, { state: used });
    const plan = await planOf(here);
    set(plan, path, to);
    writeFileSync(planFile(here), JSON.stringify(plan));
    const { code, json } = await apply(here);
    t.is(code, 1);
    t.is(json()['reason'], 'plan_invalid');
    t.deepEqual(here.writes(), []);
  });

test('ids are no part of the hash: one that was edited to mean another object stops apply all the same', async (t) => {
  const here = await sample(t, { state: used });
  const plan = await planOf(here);
  const { choices, subjects, groups } = here.site.state();
  const other = {
    choice: choices[1]?.id,
    subject: subjects[1]?.id,
    roster: groups[0]?.id,
    patrol_type: choices[0]?.id,
  };
  for (const [kind, id] of Object.entries(other)) {
    const edited = structuredClone(plan);
    const at = edited.changes.findIndex((change) => change.kind === kind && change.action !== 'created');
    set(edited, ['changes', at, kind === 'roster' ? 'group_id' : 'id'], id);
    t.is(hashOf(edited), plan.hash, kind);
    writeFileSync(planFile(here), JSON.stringify(edited));
    const { json } = await apply(here);
    t.is(json()['reason'], 'plan_outdated', kind);
  }
  const edited = structuredClone(plan);
  const roster = edited.changes.find((change) => change.kind === 'roster');
  set(roster, ['subjects', 0, 'id'], other.subject);
  writeFileSync(planFile(here), JSON.stringify(edited));
  t.is((await apply(here)).json()['reason'], 'plan_outdated');
  t.deepEqual(here.writes(), []);
});

test('a plan for another site, and what is no plan, is refused before the site is asked', async (t) => {
  const here = await sample(t);
  await planOf(here);
  const other = await sample(t);
  for (const content of [readFileSync(planFile(here), 'utf8'), '{}', 'x']) {
    writeFileSync(planFile(other), content);
    const { code, json } = await apply(other);
    t.is(code, 1);
    t.is(json()['reason'], 'plan_invalid');
  }
  t.deepEqual(other.site.log.entries(), []);
});

test('the hash of a plan is the same on a site with other ids, another bundle path and at another time', async (t) => {
  const here = await sample(t, { state: used });
  const one = await planOf(here);
  const groups = here.site
    .state()
    .groups.map(({ name }, i) => ({ name, id: `00000000-0000-4000-a000-00000000000${i}` }));
  here.site.seed({ ...used, groups, default_group: groups[0]!.id, member_groups: [groups[1]!.id] });
  const other = await planOf(here);
  t.notDeepEqual(
    one.changes.map((change) => ('id' in change ? change.id : null)),
    other.changes.map((change) => ('id' in change ? change.id : null)),
  );
  t.is(one.hash, other.hash);
  t.is(hashOf({ ...one, created_at: 'x', tool: 'x', bundle: { ...one.bundle, path: 'x' } }), one.hash);
});

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
};

test('the hash does not depend on the order of members, and changes with every change', async (t) => {
  const here = await sample(t, { state: used });
  const plan = await planOf(here);
  t.is(hashOf(reversed(plan) as SyncPlan), plan.hash);
  const seen = new Set([plan.hash]);
  for (const [i] of plan.changes.entries()) {
    const less = hashOf({ ...plan, changes: plan.changes.toSpliced(i, 1) });
    t.false(seen.has(less));
    seen.add(less);
  }
});

test('apply fails one step for a missing permission and carries out the others', async (t) => {
  const here = await sample(t);
  await planOf(here);
  here.site.tokens.revoke(here.site.token, 'choices.add_choice');
  const { code, json } = await apply(here);
  t.is(code, 1);
  t.like((json()['failures'] as unknown[])[0], { step: 'choices', reason: 'site_forbidden' });
  t.is(here.record().changes.length, 7);
  t.is(here.record().status, 'failed');
});

test('apply of a plan that lacks a step which could not be planned carries out the others, names that step and its code, and ends with 1', async (t) => {
  const here = await sample(t);
  here.site.tokens.revoke(here.site.token, 'choices.view_choice');
  await planOf(here);
  here.site.tokens.grant(here.site.token, 'choices.view_choice');
  const { code, json, err } = await apply(here);
  t.is(code, 1);
  t.regex(
    err,
    /^Choices: it could not be planned \(site_forbidden\), so the plan lacks it; fix that, and plan again$/m,
  );
  t.like(json(), { ok: false, reason: 'step_failed', skipped: { choices: 'site_forbidden' } });
  t.like((json()['failures'] as unknown[])[0], { step: 'choices', reason: 'site_forbidden' });
  t.is(here.record().status, 'failed');
  t.is(here.record().changes.length, 7);
});
