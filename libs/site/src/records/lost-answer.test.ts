import { isRelayError, RelayError } from '@ranger-relay/errors';
import test from 'ava';
import {
  calls,
  changes,
  cut,
  data,
  html502,
  loopbackSite,
  page,
  plain,
  subject,
  type Answer,
} from '../test/fake-site.ts';

const choice = { field: 'patrol_mandate', value: 'routine', display: 'Routine', is_active: true, ordernum: 3 };
const made = { id: 'c1', model: 'activity.event', icon: null, ...choice };
const expected = { id: 'c1', field: 'patrol_mandate', value: 'routine', display: 'Routine', is_active: true };
const [list, none] = [page([{ ...made, id: 'c0', value: 'other' }, made]), page([{ ...made, value: 'Routine' }])];
const silent: Answer = () => new Promise(() => undefined);

const lostCreations: Readonly<Record<string, Answer>> = { 502: html502, 503: plain(503), 504: plain(504), cut };

for (const [name, answer] of Object.entries(lostCreations)) {
  test(`after ${name} a record that is in the list is not sent again`, async (t) => {
    const { site, asked } = await loopbackSite(t, [answer, list]);
    t.deepEqual(await site.createChoice(choice), expected);
    t.deepEqual(calls(asked), ['POST choices/', 'GET choices/']);
  });

  test(`after ${name} a record that is not in the list is sent again`, async (t) => {
    const { site, asked } = await loopbackSite(t, [answer, none, data(made, 201)]);
    t.deepEqual(await site.createChoice(choice), expected);
    t.deepEqual(calls(asked), ['POST choices/', 'GET choices/', 'POST choices/']);
  });
}

test('after a time-out the list is read first', async (t) => {
  const { site, asked } = await loopbackSite(t, [silent, list], { timeouts: { totalMs: 500 } });
  t.deepEqual(await site.createChoice(choice), expected);
  const [first, ...later] = calls(asked);
  t.is(first, 'POST choices/');
  t.deepEqual(new Set(later), new Set(['GET choices/']));
});

test('a list that cannot be read after a lost answer leaves the record in doubt', async (t) => {
  const { site } = await loopbackSite(t, [cut, plain(403)]);
  const error = await t.throwsAsync(site.createChoice(choice), { instanceOf: RelayError });
  t.is(error.code, 'site_forbidden');
  t.true(error.ambiguous);
});

test('a clash after a lost answer is with our own record', async (t) => {
  const { site } = await loopbackSite(t, [cut, none, plain(409), list]);
  t.deepEqual(await site.createChoice(choice), expected);
});

const hex = 'f1'.repeat(16);
const dashed = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
const fresh = { name: 'Ranger One', subject_subtype: 'ranger', is_active: true, additional: { ext_member_id: hex } };
const stored = { id: 's1', ...fresh, subject_type: 'person', tracks_available: false };

test('a subject whose answer was lost is recognised by its member id in any spelling', async (t) => {
  const others = [
    { ...stored, id: 's0', additional: { ext_member_id: 'f2' } },
    { ...stored, id: 's4', is_active: false, additional: { ext_member_id: hex } },
    { ...stored, id: 's3', additional: { ext_member_id: hex } },
    { ...stored, id: 's2', additional: { ext_member_id: dashed.toUpperCase(), ext_managed_by: 'x' } },
  ];
  const { site, asked } = await loopbackSite(t, [cut, page(others)]);
  t.like(await site.createSubject(fresh), { record: { id: 's2' }, maybeTwice: false });
  t.deepEqual(calls(asked), ['POST subjects/', 'GET subjects/']);
  t.deepEqual(asked[0]?.body, fresh);
});

test('a subject that is not in the list is sent again, and may be there twice', async (t) => {
  const { site, asked } = await loopbackSite(t, [cut, page([]), data(stored, 201)]);
  t.like(await site.createSubject(fresh), { record: { id: 's1', ...fresh }, maybeTwice: true });
  t.is(asked.length, 3);
});

test('a subject that is in the list after two lost answers may be there twice', async (t) => {
  const { site, asked } = await loopbackSite(t, [cut, page([]), cut, page([stored])]);
  t.like(await site.createSubject(fresh), { record: { id: 's1' }, maybeTwice: true });
  t.deepEqual(calls(asked), ['POST subjects/', 'GET subjects/', 'POST subjects/', 'GET subjects/']);
});

test('a subject of an employee whom the newest list has is not created beside the one there', async (t) => {
  const { site, asked } = await loopbackSite(t, [page([stored]), data(stored, 201)]);
  await site.subjects();
  t.true(isRelayError(await t.throwsAsync(site.createSubject(fresh)), 'site_conflict'));
  t.deepEqual(calls(asked), ['GET subjects/']);
  await t.notThrowsAsync(site.createSubject({ ...fresh, additional: { ext_member_id: 'f2'.repeat(16) } }));
});

test('a subject that is gone was deleted when an answer was lost, else it is not there', async (t) => {
  const { site } = await loopbackSite(t, [cut, plain(404), plain(404)]);
  await t.notThrowsAsync(site.deleteSubject('s1'));
  t.true(isRelayError(await t.throwsAsync(site.deleteSubject('s1')), 'site_not_found'));
});

const type = { id: 'i1', value: 'patrol_foot', display: 'Foot', is_active: true };
const gone = plain(404, { status: { code: 404, message: 'Not Found' } });

test('a value that exists after a lost answer is the type that was made', async (t) => {
  const taken = plain(400, { value: ['A patrol type with this value already exists.'], status: { code: 400 } });
  const { site } = await loopbackSite(t, [cut, plain(404), data([]), taken, data(type)]);
  t.deepEqual(await site.createPatrolType(type), type);
});

test('a type that is gone after a lost answer was deleted', async (t) => {
  const { site, asked } = await loopbackSite(t, [cut, gone, gone]);
  await t.notThrowsAsync(site.deletePatrolType(type));
  t.is(asked.length, 3);
});

test('adding is repeated after a lost answer, since it comes to the same', async (t) => {
  const { site, asked } = await loopbackSite(t, [cut, data([{ id: 'a' }])]);
  await site.addToGroup('g', ['a']);
  t.deepEqual(calls(asked), ['POST subjectgroup/g/subjects/', 'POST subjectgroup/g/subjects/']);
});

test('a removal that is refused after a lost answer was carried out when nobody of it is left', async (t) => {
  const { site } = await loopbackSite(t, [cut, plain(400), data([{ id: 'b' }]), cut, plain(400), data([{ id: 'a' }])]);
  await t.notThrowsAsync(site.removeFromGroup('g', ['a']));
  t.true(isRelayError(await t.throwsAsync(site.removeFromGroup('g', ['a'])), 'site_refused'));
});

const lostUpdates: Readonly<Record<string, Answer>> = { 'a gateway': html502, 'a broken connection': cut };

for (const [name, answer] of Object.entries(lostUpdates)) {
  test(`a patch that is lost to ${name} is sent again while the subject is as it was read`, async (t) => {
    const { site, asked } = await loopbackSite(t, [answer, page([subject]), data(subject)]);
    await site.patchSubject(subject, changes);
    t.deepEqual(calls(asked), ['PATCH subject/s1/', 'GET subjects/', 'PATCH subject/s1/']);
  });

  test(`a patch that is lost to ${name} and was carried out is not sent again`, async (t) => {
    const { site, asked } = await loopbackSite(t, [answer, page([{ ...subject, ...changes }])]);
    await site.patchSubject(subject, changes);
    t.is(asked.length, 2);
  });

  test(`a patch that is lost to ${name} is not sent over what somebody else has changed since`, async (t) => {
    const edited = { ...subject, additional: { ext_rank: 'A', phone: '2' } };
    const { site, asked } = await loopbackSite(t, [answer, page([edited])]);
    const error = await t.throwsAsync(site.patchSubject(subject, changes));
    t.true(isRelayError(error, 'site_changed') && error.ambiguous);
    t.is(asked.length, 2);
  });
}

test('a form whose answer is lost is not put over what somebody else has written since', async (t) => {
  const document = { json: { a: 1 }, ui: {} };
  const other = { json: { b: 1 }, ui: {} };
  const { site, asked } = await loopbackSite(t, [cut, data({ schema: other })]);
  t.true(isRelayError(await t.throwsAsync(site.writeForm(document, null)), 'site_changed'));
  t.deepEqual(
    asked.map(({ method }) => method),
    ['PUT', 'GET'],
  );
});

test('a type and an option are looked at before their patch is repeated', async (t) => {
  const patrolType = { id: 'i', value: 'v', display: 'd', is_active: true };
  const option = { id: 'c', field: 'f', value: 'v', display: 'd', is_active: true };
  const { site } = await loopbackSite(t, [
    cut,
    data({ ...patrolType, display: 'edited' }),
    cut,
    page([{ ...option, model: 'activity.event', display: 'edited' }]),
  ]);
  t.true(isRelayError(await t.throwsAsync(site.patchPatrolType(patrolType, { is_active: false })), 'site_changed'));
  t.true(isRelayError(await t.throwsAsync(site.patchChoice(option, { is_active: false })), 'site_changed'));
});
