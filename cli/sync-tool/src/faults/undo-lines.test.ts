import test from 'ava';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { openHarness } from '../test/harness.ts';

test('each line of an undo names the object as the site has it and what is put back; a refused one names its object', async (t) => {
  const here = await openHarness(t, (folder) => writeContractSample(folder), {
    state: { choices: [{ field: 'patrol_mandate', value: 'routine', display: 'Old' }] },
  });
  await here.sync();
  here.site.faults.set({ fault: 'status', status: 403, method: 'PATCH', path: 'subject/*', count: 1 });
  const { code, out } = await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(code, 1);
  for (const line of [
    /^undone: roster group "Rangers": taken out: "Ranger One", "Ranger Three", "Ranger Four"$/m,
    /^failed: subject "Ranger Four" \(PATCH .*no permission for this \(change_subject\)/m,
    /^undone: subject "Ranger Three": is_active true → false$/m,
    /^undone: choice patrol_mandate routine "Routine": display "Routine" → "Old"$/m,
    /^undone: choice patrol_weather rain "Rain": is_active true → false$/m,
    /^undone: universal patrol fields: removed: objective, .*; the rest stays as an empty form, because a site deletes none/m,
    /^undone: patrol type patrol_boat "Boat": deleted$/m,
  ])
    t.regex(out, line);
});

test('an undo leaves nobody to take out of a roster group that is gone', async (t) => {
  const here = await openHarness(t, (folder) => writeContractSample(folder));
  await here.sync();
  here.site.seed({ groups: here.site.state().groups.filter(({ name }) => name !== 'Rangers'), member_groups: [] });
  const { code, out } = await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(code, 0, out);
  t.regex(out, /^already undone: roster group "Rangers" \(the group is gone\)$/m);
});

test('an undo that leaves somebody active whom it took out of the roster group says so', async (t) => {
  const here = await openHarness(t, (folder) => writeContractSample(folder));
  await here.sync();
  const one = here.site.state().subjects.find(({ name }) => name === 'Ranger One');
  here.site.edit('subjects', one?.id ?? '', { name: 'Edited' });
  const call = ['undo', here.recordPath(), ...here.onSite];
  for (const { code, out } of [await here.run('--dry-run', ...call), await here.run(...call)]) {
    t.is(code, 3);
    t.is(out.match(/but this undo took it out of the roster group/g)?.length, 1);
    t.regex(out, /: subject "Edited": .*; stays active, but this undo took it out of the roster group\)$/m);
  }
});
