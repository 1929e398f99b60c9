import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

test('a second undo names everybody as the first one does', async (t) => {
  const additional = { ext_member_id: 'f1'.repeat(16), ext_employee_id: '7' };
  const here = await openHarness(t, (folder) => writeContractSample(folder), {
    state: { subjects: [{ name: 'Ranger One', is_active: false, additional }] },
  });
  await here.sync();
  const call = ['undo', here.recordPath(), ...here.onSite];
  t.regex((await here.run(...call)).out, /^undone: subject "Ranger One": /m);
  const { code, out } = await here.run(...call);
  t.is(code, 0);
  t.regex(out, /^already undone: subject "Ranger One" \(an earlier undo took it back\)$/m);
  t.notRegex(out, /subject [^"]/);
});

test('a key that a person added to a subject of the run is named as added, not as one that the run wrote', async (t) => {
  const here = await openHarness(t, (folder) => writeContractSample(folder));
  await here.sync();
  const [one] = here.site.state().subjects;
  here.site.edit('subjects', one?.id ?? '', { additional: { ...one?.additional, phone: '7' } });
  const { out } = await here.run('--dry-run', 'undo', here.recordPath(), ...here.onSite);
  t.regex(out, /^to leave: subject .*: phone is "7", added since; by force: /m);
  t.notRegex(out, /the run wrote null/);
});

test('a checklist that cannot be written is named with what it does not say and what to do; the undo is done', async (t) => {
  const here = await openHarness(t, (folder) => writeContractSample(folder));
  await here.sync();
  writeFileSync(join(here.folder, 'checklist.md'), 'of a person');
  const { code, err } = await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(code, 0);
  t.regex(
    err,
    /^Warning: .*checklist\.md cannot be written: .*does not say: A run was undone .* Check: .*--checklist/m,
  );
});
