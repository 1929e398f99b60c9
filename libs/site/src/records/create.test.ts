import { isRelayError, RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { calls, data, fakeSite, html502, page, plain, type Answer } from '../test/fake-site.ts';

const choice = { field: 'patrol_mandate', value: 'routine', display: 'Routine', is_active: true, ordernum: 3 };
const made = { id: 'c1', model: 'activity.event', icon: null, ...choice };
const expected = { id: 'c1', field: 'patrol_mandate', value: 'routine', display: 'Routine', is_active: true };
const [list, none] = [page([{ ...made, id: 'c0', value: 'other' }, made]), page([{ ...made, value: 'Routine' }])];
const throttled = plain(429, '', { 'retry-after': '9' });

test('a record is sent once and comes back with the id that the site gave', async (t) => {
  const { site, asked } = await fakeSite(t, data(made, 201));
  t.deepEqual(await site.createChoice(choice), expected);
  t.deepEqual(
    asked.map(({ body }) => body),
    [{ model: 'activity.event', ...choice }],
  );
});

test('after 429 it waits as long as asked and sends, without a look at the list', async (t) => {
  const { site, asked, waits } = await fakeSite(t, [throttled, data(made, 201)]);
  t.deepEqual(await site.createChoice(choice), expected);
  t.deepEqual(calls(asked), ['POST choices/', 'POST choices/']);
  t.deepEqual(
    waits.map(({ waitMs }) => waitMs),
    [9_000],
  );
});

const onlyLists: Answer = (one) => (one.method === 'POST' ? html502 : none)(one);

test('once the patience is used up it gives up and says that the record may exist', async (t) => {
  const { site, asked, waits } = await fakeSite(t, onlyLists, { patienceMs: 30_000 });
  const error = await t.throwsAsync(site.createChoice(choice), { instanceOf: RelayError });
  t.is(error.code, 'site_unavailable');
  t.true(error.details['ambiguous']);
  t.deepEqual(
    waits.map(({ waitMs }) => waitMs),
    [1_000, 2_000, 4_000, 8_000, 15_000],
  );
  t.is(asked.filter(({ method }) => method === 'POST').length, 6);
});

test('a clash with what was there before is a conflict', async (t) => {
  const clash = plain(409, { data: { error_message: 'unique' }, status: { code: 409 } });
  const { site, asked } = await fakeSite(t, clash);
  t.true(isRelayError(await t.throwsAsync(site.createChoice(choice)), 'site_conflict'));
  t.is(asked.length, 1);
});

for (const [name, answer] of Object.entries({
  'no id': data({ ...made, id: null }, 201),
  'no record': data(null, 201),
  'no body': plain(201),
  'half a body': plain(201, '{"data":{"id'),
})) {
  test(`a creation that answers with ${name} is looked up by its value`, async (t) => {
    const { site, asked } = await fakeSite(t, [answer, list]);
    t.deepEqual(await site.createChoice(choice), expected);
    t.deepEqual(calls(asked), ['POST choices/', 'GET choices/']);
  });
}

test('a choice that was made and is not shown is null, a patrol type is an error', async (t) => {
  const { site } = await fakeSite(t, (asked) =>
    (asked.method === 'POST' ? plain(201, { data: null }) : page([]))(asked),
  );
  t.is(await site.createChoice(choice), null);
  const error = await t.throwsAsync(site.createPatrolType({ value: 'v', display: 'd', is_active: true }));
  t.true(isRelayError(error, 'site_answer_unreadable'));
  t.true(isRelayError(error) && error.ambiguous);
});

test('a login page that answers 200 has made nothing that counts as made', async (t) => {
  const { site } = await fakeSite(t, [plain(200, '<html>Log in'), none]);
  t.true(isRelayError(await t.throwsAsync(site.createChoice(choice)), 'site_answer_unreadable'));
});

test('a refusal is final', async (t) => {
  const { site, asked } = await fakeSite(t, plain(500, { status: { code: 500, detail: 'value too long' } }));
  const error = await t.throwsAsync(site.createChoice(choice));
  t.true(isRelayError(error, 'site_refused'));
  t.regex(error?.message ?? '', /value too long/);
  t.is(asked.length, 1);
});

test('an interrupt after a lost answer leaves the record in doubt', async (t) => {
  const controller = new AbortController();
  const { site, asked } = await fakeSite(t, html502, {
    signal: controller.signal,
    onWait: () => setImmediate(() => controller.abort()),
  });
  const error = await t.throwsAsync(site.createChoice(choice), { instanceOf: RelayError });
  t.is(error.code, 'site_unavailable');
  t.true(error.ambiguous);
  t.is(asked.length, 1);
});
