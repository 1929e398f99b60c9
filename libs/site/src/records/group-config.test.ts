import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { data, fakeSite, plain } from '../test/fake-site.ts';

const uuid = '11111111-2222-3333-4444-555555555555';
const subject = { id: 's', name: 'Somebody', subject_subtype: 'ranger' };

for (const key of ['member_groups', 'members_groups', 'subject_groups', 'members'])
  test(`the first group may stand under ${key}, as an object or an id`, async (t) => {
    const { site } = await fakeSite(t, [
      data({
        name: 'x',
        [key]: [
          { id: 'g1', name: 'One' },
          { id: 'g2', name: 'Two' },
        ],
      }),
      data({ [key]: [uuid] }),
      data({ [key]: [subject, { id: 9, name: 'Nine' }] }),
    ]);
    t.deepEqual(await site.firstMemberGroup(), { id: 'g1', name: 'One' });
    t.deepEqual(await site.firstMemberGroup(), { id: uuid, name: uuid });
    t.deepEqual(await site.firstMemberGroup(), { id: '9', name: 'Nine' });
  });

test('a group that is given by its name alone is looked up', async (t) => {
  const { site } = await fakeSite(t, [
    data({ member_groups: [{ name: 'Rangers' }] }),
    data([{ id: 'g', name: 'Rangers' }]),
  ]);
  t.deepEqual(await site.firstMemberGroup(), { id: 'g', name: 'Rangers' });
});

for (const payload of [{}, null, { member_groups: [] }, { member_groups: null }, { members: [subject, 'x', 7, null] }])
  test(`there is no group in ${JSON.stringify(payload)}`, async (t) => {
    const { site } = await fakeSite(t, data(payload));
    t.is(await site.firstMemberGroup(), null);
  });

test('without a configuration there is no group; without permission there is an error', async (t) => {
  const { site } = await fakeSite(t, [plain(404), plain(403)]);
  t.is(await site.firstMemberGroup(), null);
  t.true(isRelayError(await t.throwsAsync(site.firstMemberGroup()), 'site_forbidden'));
});
