import test from 'ava';
import { id, named, writeTestBundle } from '../test/bundle.ts';
import { openHarness } from '../test/harness.ts';

test('a team that the site has is done, one that is inactive there is to be made active, others are to be created', async (t) => {
  const teams = ['Alpha', 'Bravo', 'Charlie'].map((name, at) =>
    Object.assign(named(name), { uuid: id(`a${at}`), key: name, mandate_uuid: null }),
  );
  const there = [
    { value: 'alpha', display: 'alpha ' },
    { value: 'bravo', display: 'Bravo', is_active: false },
  ];
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { teams }), { state: { teams: there } });
  await here.sync();
  const lines = here.read('checklist.md').match(/^- .* team "\w+"( active)?/gm);
  t.deepEqual(lines, [
    '- [x] Create the team "Alpha"',
    '- [ ] Make the team "Bravo" active',
    '- [ ] Create the team "Charlie"',
  ]);
  here.site.tokens.revoke(here.site.token, 'activity.view_patrol');
  await here.sync('--roster-group', 'Rangers');
  t.is(here.read('checklist.md').match(/^- \[ \] Create the team .*nobody can see/gm)?.length, 3);
});
