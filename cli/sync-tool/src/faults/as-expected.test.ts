import * as disk from 'node:fs/promises';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { isRelayError } from '@ranger-relay/errors';
import { serveHttp } from '@ranger-relay/http/testing';
import { siteFaults, type FreshSiteOptions } from '@ranger-relay/simulators';
import { plannedForm } from '../form/planned.ts';
import { openLines } from '../run/files.ts';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { employee, id, writeTestBundle } from '../test/bundle.ts';
import { openPrefixed } from '../test/front.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const sample = (t: ExecutionContext, options: FreshSiteOptions = {}): Promise<Harness> =>
  openHarness(t, (folder) => writeContractSample(folder), options);

const big = (text: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
const digits = '9007199254740993';

test('a record, and a plan, of one site is not for another site behind the same proxy', async (t) => {
  const [here, other] = [await sample(t), await sample(t)];
  const proxy = await openPrefixed(t, { north: here.site, south: other.site });
  const [north, south] = ['north', 'south'].map((name) => ['--site-endpoint', `${proxy}/${name}/api/v1.0/`]);
  const plan = join(here.folder, 'plan.json');
  await here.dry('--plan-out', plan, ...(north ?? []));
  t.is((await here.sync(...(north ?? []))).code, 0);
  t.is((await other.sync(...(south ?? []))).code, 0);
  const before = other.site.state();
  for (const [args, reason] of [
    [['undo', here.recordPath()], 'record_invalid'],
    [['undo', here.folder], 'record_missing'],
    [['resume', here.recordPath()], 'record_invalid'],
    [['apply', '--plan', plan], 'plan_invalid'],
  ] as const) {
    const { code, json } = await here.run(...args, ...here.onSite, ...(south ?? []), '--output', 'json');
    t.is(code, 1);
    t.is(json()['reason'], reason);
  }
  t.deepEqual(other.site.state(), before);
  t.is((await here.run('undo', here.folder, ...here.onSite, ...(north ?? []))).code, 0);
  t.deepEqual(here.site.state().types, []);
});

test('numbers beyond 2^53 keep every digit, in subjects and in the form, through a plan, a run and its undo', async (t) => {
  const here = await openHarness(t, (folder) =>
    writeTestBundle(folder, { employees: [employee('f1', { rank: { names: { en: 'Sergeant' } } })] }),
  );
  const additional = {
    ext_member_id: id('f1'),
    ext_employee_id: 'staff-f1',
    ext_managed_by: 'patrol-datamodel',
    ext_conservation_area: id('aa'),
    phone: big(digits),
  };
  const form = plannedForm([{ property: 'ext_other', title: 'Other', kind: 'number', deprecated: false, core: false }]);
  Object.assign((form.json['properties'] as Record<string, object>)['ext_other'] ?? {}, { maximum: big(digits) });
  here.site.seed({ subjects: [{ name: 'Ranger f1', additional }], form });
  const held = (): number => JSON.stringify(here.site.state()).split(`:${digits}`).length - 1;
  t.is(held(), 2);
  const plan = join(here.folder, 'plan.json');
  await here.dry('--plan-out', plan);
  const applied = await here.run('apply', '--plan', plan, ...here.onSite);
  t.is(applied.code, 0, applied.err);
  t.is(held(), 2);
  t.is(here.site.state().subjects[0]?.additional['ext_rank'], 'Sergeant');
  t.is((await here.run('undo', here.recordPath(), ...here.onSite)).code, 0);
  t.is(held(), 2);
  t.is(here.site.state().subjects[0]?.additional['ext_rank'], undefined);
});

test('undo deletes no type when the token is not shown the patrols that may use it', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder), {
    switches: { missing_permission: 'empty_list' },
  });
  t.is((await here.sync()).code, 0);
  const [type] = here.site.state().types;
  here.site.seed({ patrols: [{ types: [type?.id ?? ''] }] });
  here.site.tokens.revoke(here.site.ordinaryToken, 'activity.view_patrol');
  const token = ['--site-token', here.site.ordinaryToken];
  t.is((await here.run('undo', here.recordPath(), ...here.onSite, ...token)).code, 0);
  t.like(here.site.state().types[0], { id: type?.id, is_active: false });
  t.is(here.site.state().patrols[0]?.patrol_segments[0]?.patrol_type, type?.id);
});

test('a folder that cannot be made is said at once', async (t) => {
  const here = await sample(t);
  const { code, json } = await here.sync('--checklist', '/proc/none/here/checklist.md', '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'output_not_writable');
});

test('a full disk is said with its path, and what cannot be written down is not sent', async (t) => {
  const lines = await openLines(disk, '/dev/full');
  const error = await t.throwsAsync(lines.append('x'));
  t.true(isRelayError(error, 'output_not_writable'));
  t.regex(error?.message ?? '', /\/dev\/full cannot be written: .*no space left/);
  await lines.close();
  const here = await sample(t);
  symlinkSync('/dev/full', join(here.folder, 'full.md'));
  const { code, json } = await here.sync('--checklist', join(here.folder, 'full.md'), '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'output_not_writable');
});

test('characters that turn the direction of a text, and control characters, reach neither the site nor the checklist', async (t) => {
  const here = await openHarness(t, (folder) =>
    writeTestBundle(folder, {
      employees: [employee('f1', { id: 'st\u0007aff', given_name: 'Ran\u202Eger', family_name: '\u2066One\u2069' })],
      teams: [{ uuid: id('70'), key: 'alpha', mandate_uuid: null, is_active: true, names: { en: 'Al\u202Epha' } }],
    }),
  );
  t.is((await here.sync()).code, 0);
  t.like(here.site.state().subjects[0], { name: 'Ranger One', additional: { ext_employee_id: 'st aff' } });
  t.notRegex(here.read('checklist.md'), /[\u202A-\u202E\u2066-\u2069]/);
  here.writes();
  t.is((await here.sync()).code, 0);
  t.deepEqual(here.writes(), []);
});

test('answers that a proxy compresses are read', async (t) => {
  const here = await sample(t, { switches: { compress: true } });
  t.is((await here.sync()).code, 0);
  t.is(here.site.state().subjects.length, 3);
});

test('a port that is taken is said', async (t) => {
  const port = await serveHttp(t, () => undefined);
  const here = await sample(t);
  const { code, err } = await here.run('dev-site', '--port', String(port));
  t.is(code, 1);
  t.regex(err, new RegExp(`Another process already listens on 127.0.0.1:${port}`));
});

const uuid = (i: number): string => (i + 4_096).toString(16).padStart(32, '0');

test('every planned subject is accounted for when the step breaks off, and the call that goes on can be pasted', async (t) => {
  const employees = Array.from({ length: 139 }, (_, i) => employee('f1', { uuid: uuid(i) }));
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { employees }));
  here.site.faults.set({ ...siteFaults.gateway(503), path: 'subjects/', skip: 70 });
  const { code, out } = await here.sync('--patience', '0');
  t.is(code, 1);
  const [, created = 0, , , , failed = 0, notTried = 0] = (
    /^Subjects +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+)/m.exec(out) ?? []
  )
    .map(Number)
    .toSpliced(1, 0);
  t.true(created > 0 && notTried > 0);
  t.is(created + failed + notTried, 139);
  const hint = /sync-tool (resume .*)/.exec(out)?.[1] ?? '';
  t.is(hint, `resume ${here.recordPath()} --site-endpoint ${here.site.url} --site-token "$SITE_TOKEN"`);
  here.site.faults.clear();
  const words = hint.replace('"$SITE_TOKEN"', here.site.token).split(' ');
  t.is((await here.run(...words)).code, 0);
  t.is(here.site.state().subjects.length, 139);
});

test('a dry run speaks of what it would do', async (t) => {
  const here = await sample(t);
  const { out } = await here.dry();
  t.regex(out, /to create +to update +unchanged +to deactivate/);
  t.notRegex(out, /created|failed/);
  t.regex(out, /Nothing was written to the site\./);
  t.regex(out, /would be added to the roster group\.$/m);
});

test('a file that is missing is said in words, whatever it was to hold', async (t) => {
  const here = await sample(t);
  const none = join(here.folder, 'none.json');
  for (const args of [
    ['undo', none, ...here.onSite],
    ['resume', none, ...here.onSite],
    ['apply', '--plan', none, ...here.onSite],
    ['doctor', '--config', none],
    ['doctor', '--site-endpoint', here.site.url, '--site-token-file', none],
    ['files', 'list', none],
  ]) {
    const { code, err } = await here.run(...args);
    t.is(code, 1, args.join(' '));
    t.true(err.includes(`${none} `) && err.includes(': it is missing'), err);
    t.notRegex(err, /ENOENT/);
  }
});
