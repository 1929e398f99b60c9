import test from 'ava';
import { newChoice, startSiteHarness } from '../../test/site.ts';

test('an answer is in the envelope; a created record comes with 201', async (t) => {
  const { call, get } = await startSiteHarness(t);
  t.deepEqual((await get('activity/patrols/types/')).json, { data: [], status: { code: 200, message: 'OK' } });
  const made = await call('POST', 'choices/', newChoice('f', 'v'));
  t.is(made.status, 201);
  t.like(made.json, { data: { field: 'f', value: 'v' }, status: { code: 201, message: 'Created' } });
});

test('a payload with a member "status" of its own comes without envelope', async (t) => {
  const { site, call } = await startSiteHarness(t);
  site.seed({ subjects: [{ id: 's1', name: 'S', status: 'seen' } as { name: string }] });
  const reply = await call('PATCH', 'subject/s1/', { name: 'T' });
  t.like(reply.json, { id: 's1', name: 'T', status: 'seen' });
  t.is(reply.data, undefined);
});

test('a delete is 200 that says 204, or 204', async (t) => {
  const { site, call } = await startSiteHarness(t);
  for (const kind of ['body', 'empty'] as const) {
    site.set({ delete_answer: kind });
    site.seed({
      choices: [{ id: 'c', field: 'f', value: 'v' }],
      subjects: [{ id: 's', name: 'S' }],
      types: [{ value: 'x' }],
    });
    for (const path of ['choices/c/', 'subject/s/', 'activity/patrols/types/x/']) {
      const reply = await call('DELETE', path);
      t.is(reply.status, kind === 'body' ? 200 : 204, path);
      t.deepEqual(
        reply.json,
        kind === 'body' ? { data: null, status: { code: 204, message: 'No Content' } } : undefined,
      );
    }
  }
});

test('the last slash of a path is optional', async (t) => {
  const { get } = await startSiteHarness(t);
  const paths = ['status', 'user/me', 'choices', 'subjects', 'subjectgroups', 'activity/patrols/types'];
  for (const path of [...paths, 'activity/patrols/config/default', 'activity/patrols/segments/types/default'])
    t.deepEqual((await get(`${path}/`)).json, (await get(path)).json, path);
});

test('unknown paths are JSON 404 inside the API and HTML 404 outside', async (t) => {
  const { get } = await startSiteHarness(t);
  for (const path of ['nothing/', 'choices/x/y', 'activity', 'user/me/x']) {
    const inside = await get(path);
    t.is(inside.status, 404, path);
    t.deepEqual(inside.json, { status: { code: 404, message: 'Not Found' } });
  }
  for (const path of ['/api/v2.0/user/me', '/api/', '/login']) {
    const outside = await get(path);
    t.is(outside.status, 404, path);
    t.regex(String(outside.headers['content-type']), /text\/html/);
    t.regex(outside.text, /<html>/);
  }
});

test('a known path refuses other methods with 405', async (t) => {
  const { call } = await startSiteHarness(t);
  t.is((await call('PUT', 'choices/', {})).status, 405);
  t.is((await call('GET', 'subject/s1/')).status, 405);
});

test('a body that is no JSON, not said to be JSON, or no object is refused', async (t) => {
  const { site, call } = await startSiteHarness(t);
  t.is((await call('POST', 'choices/', undefined, { raw: '{"a"' })).status, 400);
  t.is(
    (await call('POST', 'choices/', newChoice('f', 'v'), { headers: { 'content-type': 'text/plain' } })).status,
    415,
  );
  t.is((await call('POST', 'choices/', [newChoice('f', 'v')])).status, 400);
  t.is((await call('POST', 'choices/')).status, 400);
  t.deepEqual(site.state().choices, []);
});

test('the flag is on, off, absent, or its object is absent', async (t) => {
  const { site, get } = await startSiteHarness(t);
  const flag = async () =>
    ((await get('status/', { token: null })).data as { preview_features?: object }).preview_features;
  t.like(await flag(), { patrol_schemas: true });
  site.set({ patrol_schemas: 'off' });
  t.like(await flag(), { patrol_schemas: false });
  site.set({ patrol_schemas: 'absent' });
  t.deepEqual(Object.keys((await flag()) ?? {}), ['dark_mode']);
  site.set({ patrol_schemas: 'no_features' });
  t.is(await flag(), undefined);
});
