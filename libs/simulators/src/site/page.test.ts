import test from 'ava';
import { choiceForm, startSiteHarness } from '../test/site.ts';

test('the page shows types, fields, choices by field, subjects, groups with their members, and requests', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.seed({
    types: [{ value: 'patrol_foot', display: 'Foot' }],
    form: choiceForm('patrol_mandate'),
    choices: [{ field: 'patrol_mandate', value: 'routine', display: 'Routine' }],
    subjects: [{ id: 's', name: 'Ranger One', is_active: false }],
    groups: [
      { id: 'g', name: 'Rangers', subjects: ['s'] },
      { id: 'h', name: 'Below', parent: 'g', hidden: true },
    ],
  });
  await get('choices/?field=patrol_mandate');
  const { status, text, headers } = await get('/', { token: null });
  t.is(status, 200);
  t.regex(String(headers['content-type']), /text\/html/);
  for (const part of ['patrol_foot', 'Mandate', 'section-ext', 'Choices: patrol_mandate', 'Routine', 'Ranger One'])
    t.true(text.includes(part), part);
  t.regex(text, /<td>Rangers<\/td>\s*<td>1<\/td>/);
  t.regex(text, /Below \(hidden\)/);
  t.regex(text, /choices\/\?field=patrol_mandate<\/td>\s*<td>200<\/td>/);
});

test('names are escaped, tokens are not shown, long tables are cut', async (t) => {
  const { site, get } = await startSiteHarness(t);
  const many = Array.from({ length: 250 }, (_, n) => ({ name: `Subject ${n}` }));
  site.seed({ subjects: [{ name: '<script>alert("1")</script>' }, ...many], form: 'no document' });
  const { text } = await get('/');
  t.false(text.includes('<script>'));
  t.true(text.includes('&lt;script&gt;alert(&quot;1&quot;)'));
  t.false(text.includes(site.token));
  t.true(text.includes('and 51 more'));
});
