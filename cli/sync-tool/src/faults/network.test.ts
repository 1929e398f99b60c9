import test, { type ExecutionContext } from 'ava';
import { loopbackServer } from '@ranger-relay/http/testing';
import { siteFaults, type FreshSiteOptions } from '@ranger-relay/simulators';
import { openSite } from '@ranger-relay/site';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { syncRun } from '../program/sync.ts';
import { testShell } from '../test/shell.ts';
import { openHarness, type Harness } from '../test/harness.ts';
import { join } from 'node:path';

const sample = (t: ExecutionContext, options: FreshSiteOptions = {}): Promise<Harness> =>
  openHarness(t, (folder) => writeContractSample(folder), options);

/** What a whole run of the sample leaves, by number. */
const holds = ({ site }: Harness): number[] => {
  const { types, choices, subjects, groups } = site.state();
  return [types.length, choices.length, subjects.length, groups[1]?.subjects.length ?? 0];
};
const whole = [2, 7, 3, 3];

for (const [name, fault] of [
  ['429 with seconds to wait', siteFaults.throttled(3)],
  ['429 with a date', siteFaults.throttled('Thu, 01 Jan 2099 00:00:00 GMT')],
  ['a gateway’s 502 as HTML', siteFaults.gateway(502)],
  ['a connection that breaks before the write', siteFaults.cut('before')],
] as const)
  test(`${name} is waited for at every request, told, and the run is whole`, async (t) => {
    const here = await sample(t);
    here.site.faults.set({ ...fault, skip: 1, count: 3 });
    for (const path of ['activity/patrols/types/', 'choices/', 'subjects/', 'subjectgroup/*'])
      here.site.faults.set({ ...fault, path, method: 'POST', skip: 1, count: 2 });
    here.site.faults.set({ ...fault, method: 'PUT', count: 2 });
    const { code, err } = await here.sync();
    t.is(code, 0, err);
    t.regex(err, /trying again/);
    t.deepEqual(holds(here), whole);
  });

test('a gateway that stays away fails its step alone, without HTML in the message', async (t) => {
  const here = await sample(t);
  here.site.faults.set({ ...siteFaults.gateway(502), path: 'choices/', method: 'POST' });
  const { code, err } = await here.sync();
  t.is(code, 1);
  t.notRegex(err, /</);
  t.regex(err, /^Choices: .*HTTP 502/m);
  t.deepEqual(holds(here), [2, 0, 3, 3]);
});

for (const [kind, path, at] of [
  ['patrol type', 'activity/patrols/types/', 0],
  ['choice', 'choices/', 1],
  ['subject', 'subjects/', 2],
] as const)
  for (const [name, fault] of [
    ['breaks off', siteFaults.cut('after')],
    ['is a gateway’s 504', siteFaults.gateway(504, 'after')],
    ['is half of one', { fault: 'half_body' }],
  ] as const)
    test(`a ${kind} whose answer ${name} is made once, is in the record with its id, and is not made by the next run`, async (t) => {
      const here = await sample(t);
      here.site.faults.set({ ...fault, path, method: 'POST', count: 1 });
      const { code, err } = await here.sync();
      t.is(code, 0, err);
      t.deepEqual(holds(here), whole);
      const { changes } = here.record();
      t.is(changes.length, 14);
      t.true(
        changes.every((change) => !('id' in change) || Boolean(change.id)),
        `${at}`,
      );
      here.writes();
      t.is((await here.sync()).code, 0);
      t.deepEqual(here.writes(), []);
    });

test('a roster call whose answer is lost for good is in the record, and undo takes it back', async (t) => {
  const here = await sample(t);
  here.site.faults.set({ ...siteFaults.cut('after'), path: 'subjectgroup/*', method: 'POST', count: 1 });
  const { code } = await here.sync('--patience', '0');
  t.is(code, 1);
  t.is(here.record().changes.length, 14);
  t.is((await here.run('undo', here.recordPath(), ...here.onSite)).code, 0);
  t.is(here.site.state().groups[1]?.subjects.length, 0);
});

test('a form whose answer is lost, and that cannot be read then, is in the record, and undo takes it back', async (t) => {
  const here = await sample(t);
  const path = 'activity/patrols/segments/types/default/';
  here.site.faults.set({ ...siteFaults.cut('after'), method: 'PUT', count: 1 });
  here.site.faults.set({ ...siteFaults.gateway(502), path, method: 'GET', skip: 2, count: 1 });
  t.is((await here.sync('--patience', '0')).code, 1);
  t.true(here.record().changes.some(({ kind }) => kind === 'universal_patrol_fields'));
  t.is((await here.run('undo', here.recordPath(), ...here.onSite)).code, 0);
  const { form } = here.site.state() as { form: { json: { properties: object } } };
  t.deepEqual(form.json.properties, {});
});

test('a write that never reached the site is not in the record', async (t) => {
  const here = await sample(t);
  here.site.faults.set({ ...siteFaults.cut('before'), method: 'PUT', count: 1 });
  t.is((await here.sync('--patience', '0')).code, 1);
  t.false(here.record().changes.some(({ kind }) => kind === 'universal_patrol_fields'));
});

test('a socket that stalls after the site has done its work is given up; nothing is made twice', async (t) => {
  const here = await sample(t);
  const shell = testShell();
  const site = openSite({
    address: here.site.url,
    token: here.site.token,
    clock: shell.clock,
    log: { debug: () => undefined, warn: () => undefined },
    userAgent: 'test',
    timeouts: { totalMs: 5_000 },
  });
  t.teardown(() => site.close());
  for (const path of ['activity/patrols/types/', 'choices/', 'subjects/'])
    here.site.faults.set({ ...siteFaults.stalled('after'), path, method: 'POST', count: 1 });
  here.site.faults.set({ ...siteFaults.stalled(), path: 'subjects/', method: 'GET', count: 1 });
  const options = {
    language: 'en',
    subject_name_suffix: false,
    roster_group: null,
    replace_segment_schema: false,
    modernize_form: false,
    word: 'ext',
  };
  const bundle = await readBundle(here.bundle);
  const { code } = await syncRun({
    shell,
    site,
    bundle,
    flags: { patience: 120 },
    options,
    folder: here.folder,
    checklist: join(here.folder, 'checklist.md'),
    dryRun: false,
    isWordSet: false,
    note: () => undefined,
  });
  t.is(code, 0, shell.errors.join('\n'));
  t.deepEqual(holds(here), whole);
});

test('a redirect to another host is not followed, and the token is not sent there', async (t) => {
  const here = await sample(t);
  const other = await loopbackServer(t, () => Response.json({}));
  here.site.faults.set(siteFaults.redirected(`${other.origin}/api/v1.0/user/me`));
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'site_redirected');
  t.deepEqual(other.requests, []);
});

test('a redirect in the middle of the run ends it', async (t) => {
  const here = await sample(t);
  here.site.faults.set({ ...siteFaults.redirected('https://elsewhere.invalid/'), path: 'choices/', method: 'POST' });
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'site_redirected');
  t.deepEqual(here.site.state().subjects, []);
});
