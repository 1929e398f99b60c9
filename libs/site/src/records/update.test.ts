import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { calls, cut, data, fakeSite, html502, page, plain, type Answer } from '../test/fake-site.ts';

const subject = {
  id: 's1',
  name: 'Ranger One',
  subject_subtype: 'ranger',
  is_active: true,
  additional: { ext_rank: 'A', phone: '1' },
};
const changes = { additional: { ext_rank: 'B', phone: '1' } };
const document = { json: { a: 1 }, ui: {} };
const lost: Readonly<Record<string, Answer>> = { 'a gateway': html502, 'a broken connection': cut };

for (const [name, answer] of Object.entries(lost)) {
  test(`a patch that is lost to ${name} is sent again while the subject is as it was read`, async (t) => {
    const { site, asked } = await fakeSite(t, [answer, page([subject]), data(subject)]);
    await site.patchSubject(subject, changes);
    t.deepEqual(calls(asked), ['PATCH subject/s1/', 'GET subjects/', 'PATCH subject/s1/']);
  });

  test(`a patch that is lost to ${name} and was carried out is not sent again`, async (t) => {
    const { site, asked } = await fakeSite(t, [answer, page([{ ...subject, ...changes }])]);
    await site.patchSubject(subject, changes);
    t.is(asked.length, 2);
  });

  test(`a patch that is lost to ${name} is not sent over what somebody else has changed since`, async (t) => {
    const edited = { ...subject, additional: { ext_rank: 'A', phone: '2' } };
    const { site, asked } = await fakeSite(t, [answer, page([edited])]);
    const error = await t.throwsAsync(site.patchSubject(subject, changes));
    t.true(isRelayError(error, 'site_changed') && error.ambiguous);
    t.is(asked.length, 2);
  });
}

test('a form whose answer is lost is not put over what somebody else has written since', async (t) => {
  const other = { json: { b: 1 }, ui: {} };
  const { site, asked } = await fakeSite(t, [cut, data({ schema: other })]);
  t.true(isRelayError(await t.throwsAsync(site.writeForm(document, null)), 'site_changed'));
  t.deepEqual(
    asked.map(({ method }) => method),
    ['PUT', 'GET'],
  );
});

test('a type and an option are looked at before their patch is repeated', async (t) => {
  const type = { id: 'i', value: 'v', display: 'd', is_active: true };
  const option = { id: 'c', field: 'f', value: 'v', display: 'd', is_active: true };
  const { site } = await fakeSite(t, [
    cut,
    data([{ ...type, display: 'edited' }]),
    cut,
    page([{ ...option, model: 'activity.event', display: 'edited' }]),
  ]);
  t.true(isRelayError(await t.throwsAsync(site.patchPatrolType(type, { is_active: false })), 'site_changed'));
  t.true(isRelayError(await t.throwsAsync(site.patchChoice(option, { is_active: false })), 'site_changed'));
});

test('a patch that the site throttles for long is not sent over what somebody else has changed meanwhile', async (t) => {
  const throttled = plain(429, '', { 'retry-after': '30' });
  const edited = { ...subject, additional: { ext_rank: 'A', phone: '2' } };
  const { site, asked } = await fakeSite(t, [throttled, page([edited])]);
  const error = await t.throwsAsync(site.patchSubject(subject, changes));
  t.true(isRelayError(error, 'site_changed') && !error.ambiguous);
  t.deepEqual(calls(asked), ['PATCH subject/s1/', 'GET subjects/']);
});

test('a patch is sent in the end, however often the site holds it back behind a look', async (t) => {
  const throttled = plain(429, '', { 'retry-after': '30' });
  const { site, asked } = await fakeSite(t, (response, one) => {
    const answers = one.method === 'GET' || asked.length > 6 ? page([subject]) : throttled;
    answers(response, one);
  });
  await site.patchSubject(subject, changes);
  t.true(asked.length < 12, `${asked.length}`);
});
