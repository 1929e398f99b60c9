import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import {
  patrol as exportedPatrol,
  reference,
  uuid,
  writeExportedBundle,
} from '../bundle/exported/test/exported-bundle.ts';
import { employee, id, named, patrol, transport, writeTestBundle } from '../test/bundle.ts';
import { type Call, openHarness, runTool, type Harness } from '../test/harness.ts';
import { testShell } from '../test/shell.ts';

const sample = (t: ExecutionContext): Promise<Harness> => openHarness(t, (folder) => writeContractSample(folder));

const name = 'checklist.md';

/** Rewrites the checklist as a person does in an editor. */
const edit = ({ folder, read }: Harness, change: (content: string) => string): void =>
  writeFileSync(join(folder, name), change(read(name)));

/** Ticks each item that mentions a text. */
const tick = (content: string, about: string): string =>
  content
    .split('\n')
    .map((line) => (line.includes(about) ? line.replace('- [ ]', '- [x]') : line))
    .join('\n');

/** Ticks an item, and writes below it and below the list. */
const work = (here: Harness): void =>
  edit(here, (content) =>
    `${tick(content, 'Team Alpha')}\nAsk Ana about the icons\n`.replace(
      /(patrol_foot.*\n)/,
      '$1  the boot, not the shoe\n',
    ),
  );

const verify = (here: Harness) => here.run('verify', '--bundle', here.bundle, ...here.onSite);

for (const [what, call] of [
  ['a run', (here: Harness) => here.sync()],
  ['a dry run', (here: Harness) => here.dry()],
  ['verify', verify],
] as const)
  test(`what a person ticked and wrote on the checklist survives ${what}`, async (t) => {
    const here = await sample(t);
    await here.sync();
    work(here);
    for (let times = 0; times < 2; times += 1) await call(here);
    const list = here.read(name);
    t.regex(list, /- \[x\] Create the team "Team Alpha"/);
    t.regex(list, /patrol\\_foot.*\n {2}the boot, not the shoe\n/);
    t.regex(list, /Ask Ana about the icons\n$/);
    t.is(list.match(/- \[.\] Pick an icon/g)?.length, 2);
  });

test('an item that a person ticked no longer counts as open', async (t) => {
  const here = await sample(t);
  t.regex((await here.sync()).out, /\(6 open\)/);
  work(here);
  t.regex((await here.sync()).out, /\(5 open\)/);
  t.regex((await verify(here)).out, /\[x\] Create the team "Team Alpha"/);
});

const rosterItems = (here: Harness): string[] =>
  here
    .read(name)
    .split('\n')
    .filter((line) => line.includes('roster group'))
    .map((line) => line.replace(/ <!--.*/, ''));

test('only a person ticks that the roster group is the right one; the question about another group is another item', async (t) => {
  const here = await sample(t);
  await here.sync();
  await verify(here);
  t.regex(rosterItems(here).join('\n'), /^- \[ \] Check that "Rangers"[^\n]*$/);
  edit(here, (content) => tick(content, 'Check that'));
  const [answered = ''] = rosterItems(here);
  for (const asked of ['Rangers', 'Rangerz']) {
    await here.run('verify', '--bundle', here.bundle, ...here.onSite, '--roster-group', asked);
    const [was, now, ...more] = rosterItems(here);
    t.true(
      [was, now].some((line) => line?.startsWith('- [x] ~~Check that "Rangers"')),
      asked,
    );
    t.deepEqual(more, []);
  }
  for (const call of [verify, (run: Harness) => run.sync(), verify]) {
    await call(here);
    t.deepEqual(rosterItems(here), [answered]);
  }
});

test('verify and the next run write the same checklist while nothing changed', async (t) => {
  const here = await openHarness(t, (folder) => writeContractSample(folder));
  await here.sync();
  const list = here.read(name);
  await verify(here);
  t.is(here.read(name), list);
});

test('verify leaves what failed in the last run on the checklist as long as it is missing, and adds no failure', async (t) => {
  const here = await sample(t);
  here.site.tokens.revoke(here.site.token, 'choices.add_choice');
  t.is((await here.sync()).code, 1);
  const list = here.read(name);
  t.regex(list, /\*\*Failed:\*\* Choices/);
  t.regex(list, /Let the token do the step "Choices"/);
  await verify(here);
  t.is(here.read(name), list);
  await here.run('verify', '--bundle', here.bundle, ...here.onSite, '--roster-group', 'Rangerz');
  t.deepEqual(here.read(name).match(/\*\*Failed:\*\* \w+/g), ['**Failed:** Choices']);
  here.site.tokens.grant(here.site.token, 'choices.add_choice');
  const elsewhere = join(here.folder, 'second');
  mkdirSync(elsewhere);
  t.is((await here.sync('--checklist', join(elsewhere, name))).code, 0);
  await verify(here);
  t.notRegex(here.read(name), /Failed|Let the token do/);
});

test('an undo says on the checklist of the area that the run was undone, until a run or verify brings it up to date', async (t) => {
  const here = await sample(t);
  await here.sync();
  work(here);
  await here.dry();
  await here.run('--dry-run', 'undo', here.folder, ...here.onSite);
  t.regex(here.read(name), /^Import of the patrols: /m);
  const undone = here.read(name).replace(/^Import of the patrols: .*/m, '');
  await here.run('undo', here.folder, ...here.onSite);
  const said = /^A run was undone at \d{4}-.*; the next run, or verify, brings this list up to date\. .*/m;
  t.regex(here.read(name), said);
  t.is(here.read(name).replace(said, ''), undone);
  await verify(here);
  t.notRegex(here.read(name), /was undone/);
  t.regex(here.read(name), /^Import of the patrols: 0 patrols would import/m);
});

test('what a person wrote below a failure stays there, the failure struck through, once it is mended, and nobody is asked twice for one permission', async (t) => {
  const here = await sample(t);
  here.site.tokens.revoke(here.site.token, 'choices.add_choice');
  await here.sync();
  const list = here.read(name).replaceAll('\\', '');
  t.regex(list, /^- \[ \] Let the token do the step "Choices"/m);
  t.notRegex(list, /Options that patrols use are missing/);
  edit(here, (content) => content.replace(/(\*\*Failed:\*\* .*\n)/, '$1Ben grants it\n'));
  here.site.tokens.grant(here.site.token, 'choices.add_choice');
  for (const call of [() => here.sync(), () => verify(here)]) {
    await call();
    t.regex(
      here.read(name),
      /\n- ~~> \*\*Failed:\*\* Choices.*~~ \*\(no longer asked\)\*.*\nBen grants it\n[^]*## Operator/,
    );
    t.is(here.read(name).match(/Failed/g)?.length, 1);
  }
});

test('an icon is done once the site shows one, and open again for a type that is made anew, whoever ticked it before', async (t) => {
  const here = await sample(t);
  const item = (): string | undefined =>
    /^- \[.\] Pick an icon[^\n]*patrol_foot\]/m.exec(here.read(name).replaceAll('\\', ''))?.[0];
  const open = '- [ ] Pick an icon for the patrol type "Foot" [patrol_foot]';
  await here.sync();
  t.is(item(), open);
  t.notRegex(here.read(name), /Pick an icon.*nobody can see/);
  const type = here.site.state().types.find(({ value }) => value === 'patrol_foot')?.id ?? '';
  here.site.edit('types', type, { icon: 'walker' });
  await verify(here);
  t.is(item(), open.replace('[ ]', '[x]'));
  edit(here, (content) => tick(content, 'Pick an icon'));
  here.site.edit('types', type, { icon: null });
  await verify(here);
  t.is(item(), open);
  edit(here, (content) => tick(content, 'Pick an icon'));
  await here.run('undo', here.recordPath(), ...here.onSite, '--force', 'patrol_type');
  await here.sync();
  t.is(item(), open);
});

/** Lines about teams. */
const teamLines = ({ read }: Harness) =>
  read('checklist.md')
    .replaceAll('\\', '')
    .match(/^- .*? team ".*?"( \([^*]*?\))?( active)?/gm);

test('teams that patrols name come first, the most used before the others, also an inactive one and one that the bundle lacks', async (t) => {
  const teams = ['Alpha', 'Bravo', 'Charlie'].map((name, at) =>
    Object.assign(named(name, name !== 'Bravo'), { uuid: id(`a${at}`), key: name, mandate_uuid: null }),
  );
  const patrols = ['a1', 'a1', 'a9', 'a9', 'a9'].map((team, at) =>
    patrol(['f1'], { uuid: id(`7${at}`), team_uuid: id(team), legs: [] }),
  );
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { teams, patrols }));
  await here.sync('--ext-word', 'word');
  t.deepEqual(teamLines(here), [
    '- [ ] Create the team "WORD team a9a9a9a9" (named by 3 patrols)',
    '- [ ] Create the team "Bravo" (named by 2 patrols)',
    '- [ ] Create the team "Alpha"',
    '- [ ] Create the team "Charlie"',
  ]);
});

test('of an exported bundle only teams that patrols name are listed, with their members; the site has one by display or value', async (t) => {
  const teams = ['81', '82', '83'].map((pair) =>
    Object.assign({}, reference.teams[0], { uuid: uuid(pair), label: pair, labels: {} }),
  );
  const patrols = ['81', '82', '82', '84'].map((pair, at) =>
    Object.assign({}, exportedPatrol, { uuid: uuid(`d${at}`), team_uuid: uuid(pair) }),
  );
  const content = { reference: { teams }, patrols: { patrols } };
  const there = [{ value: 'EXT TEAM 00000084', display: 'Fourth' }];
  const here = await openHarness(t, (folder) => writeExportedBundle(folder, content), { state: { teams: there } });
  await here.sync();
  t.deepEqual(teamLines(here), [
    '- [ ] Create the team "82" (1 member, named by 2 patrols)',
    '- [ ] Create the team "81" (1 member, named by 1 patrol)',
    '- [x] Create the team "EXT team 00000084" (named by 1 patrol)',
  ]);
});

test('verify names active members whom a patrol cannot name, until it can; runs leave that item as it stands', async (t) => {
  const here = await openHarness(t, (folder) =>
    writeTestBundle(folder, { employees: [employee('f1'), employee('f2')] }),
  );
  const { groups } = here.site.state();
  here.site.seed({ groups: [...groups, { name: 'Elsewhere' }] });
  const call = ['--roster-group', 'Elsewhere'];
  const look = (): Promise<Call> => here.run('verify', '--bundle', here.bundle, ...here.onSite, ...call);
  t.notRegex((await look()).out, /member group of the patrol configuration/);
  await here.sync(...call);
  const { code, out } = await look();
  t.is(code, 0);
  const item = /^- \[ \] Put into a member group .*\(2\): Ranger f1, Ranger f2/m;
  t.regex(out, /^\[ \] Put into a member group .* \(2\): Ranger f1, Ranger f2$/m);
  t.notRegex(out, /^The site has everything/m);
  await here.sync(...call);
  t.regex(here.read('checklist.md').replaceAll('\\', ''), item);
  await here.sync();
  t.regex((await look()).out, /^The site has everything that the bundle asks for\.$/m);
  t.notRegex(here.read('checklist.md').replaceAll('\\', ''), item);
});

test('the checklist is written only when something differs', async (t) => {
  const here = await sample(t);
  await here.sync();
  const path = join(here.folder, name);
  utimesSync(path, 1_000, 1_000);
  await here.sync();
  await here.dry();
  t.is(statSync(path).mtimeMs, 1_000_000);
});

test('a dry run writes the checklist where none is and renews that of a dry run, and shows its items instead of replacing that of a run', async (t) => {
  const here = await sample(t);
  await here.dry();
  await writeTestBundle(here.bundle, { transports: [transport('b1', 'horse')] });
  await here.dry();
  t.regex(here.read(name), /A dry run[^]*patrol\\_horse/);
  await here.sync();
  const list = here.read(name);
  await writeTestBundle(here.bundle, { transports: [transport('b1', 'camel')] });
  const { out } = await here.dry();
  t.is(here.read(name), list);
  t.regex(out, /\[ \] Pick an icon .*patrol_camel/);
  t.regex(out, /3 open; not written: .*checklist\.md is not that of a dry run and stays/);
});

test('each area and each site has a section of its own in a shared checklist, and no run touches that of another', async (t) => {
  const here = await sample(t);
  const other = await sample(t);
  const beside = join(here.folder, 'second');
  await writeTestBundle(beside, { area: { uuid: id('bb'), id: '052', name: 'South' }, employees: [employee('f2')] });
  const south = ['patrol-datamodel', '--bundle', beside, ...here.onSite];
  await here.sync();
  work(here);
  const before = here.read(name);
  await here.run(...south);
  const both = here.read(name);
  t.true(both.startsWith(before));
  t.regex(both, /left to do for South \(052\)/);
  edit(here, (content) => content.replace('(052)', '(052), ask Ben'));
  await here.run('patrol-datamodel', '--bundle', here.bundle, ...other.onSite);
  await here.run(...south);
  t.true(here.read(name).startsWith(before));
  t.is(here.read(name).match(/ask Ben/g)?.length, 1);
  t.is(here.read(name).match(/^# Patrol import/gm)?.length, 3);
});

test('a run that the guard against deactivations stops leaves its own checklist, not that of an earlier dry run', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { employees: [employee('f1')] }));
  await here.sync();
  await writeTestBundle(here.bundle, { employees: [employee('f2')], transports: [transport('b1', 'horse')] });
  await here.dry();
  const { code, out, err } = await here.sync('--max-deactivations', '0');
  t.is(code, 1);
  t.regex(err, /The run wrote nothing: The run would deactivate more subjects .* \(1; at most 0\)/);
  t.regex(err, /Check: .*--max-deactivations/);
  t.regex(out, /Checklist: /);
  t.regex(here.read(name), /patrol\\_horse/);
  t.regex(here.read(name), /Failed:\*\* Subjects: The run would deactivate more subjects/);
});

for (const [what, content] of [
  ['without a section of the tool', Buffer.from('# Shopping\n- [ ] rice\n')],
  ['that is not in UTF-8', Buffer.from('# Patrol import <!-- sync-tool section.x 00000000 -->\nma\xf1ana\n', 'latin1')],
] as const)
  for (const dry of [[], ['--dry-run']])
    test(`a file ${what} in the place of the checklist stays, and ends ${dry[0] ?? 'the run'} before its first write`, async (t) => {
      const here = await sample(t);
      writeFileSync(join(here.folder, name), content);
      const call = [...dry, 'patrol-datamodel', '--bundle', here.bundle, ...here.onSite, '--output', 'json'];
      const { code, json } = await here.run(...call);
      t.is(code, 1);
      t.is(json()['reason'], 'output_not_writable');
      t.regex(String(json()['check']), /--checklist/);
      t.deepEqual(here.writes(), []);
      t.deepEqual(readFileSync(join(here.folder, name)), content);
      t.is((await here.run(...call, '--checklist', join(here.folder, 'list.md'))).code, 0);
    });

test('what a person saves while the checklist is written is kept', async (t) => {
  const here = await sample(t);
  await here.sync();
  await writeTestBundle(here.bundle, { transports: [transport('b1', 'horse')] });
  const shell = testShell();
  const { disk } = shell.machine;
  let reads = 0;
  const machine = {
    ...shell.machine,
    disk: {
      ...disk,
      async readFile(path: string, encoding: 'utf8') {
        const content = await disk.readFile(path, encoding);
        // The person saves after the run has read the file to change it.
        if (path.endsWith(name) && (reads += 1) === 2) appendFileSync(path, 'saved meanwhile\n');
        return content;
      },
    },
  };
  const call = ['patrol-datamodel', '--bundle', here.bundle, ...here.onSite];
  t.is((await runTool({ ...shell, machine }, call)).code, 0);
  t.true(reads > 3);
  t.regex(here.read(name), /patrol\\_horse/);
  t.regex(here.read(name), /saved meanwhile\n$/);
});

test('a checklist behind a link is changed where it lies', async (t) => {
  const here = await sample(t);
  await here.sync();
  mkdirSync(join(here.folder, 'shared'));
  renameSync(join(here.folder, name), join(here.folder, 'shared', name));
  symlinkSync(join('shared', name), join(here.folder, name));
  await writeTestBundle(here.bundle, { transports: [transport('b1', 'horse')] });
  await here.sync();
  t.regex(readFileSync(join(here.folder, 'shared', name), 'utf8'), /patrol\\_horse/);
});

test('ticks and notes go on from plan to plan where each has a numbered folder', async (t) => {
  const here = await sample(t);
  const inFolder = (number: number) => ['--checklist', join(here.folder, 'out', 'north', String(number), name)];
  const listIn = (number: number): string => here.read(join('out', 'north', String(number), name));
  await here.sync(...inFolder(9));
  writeFileSync(
    join(here.folder, 'out', 'north', '9', name),
    `${tick(listIn(9), 'Team Alpha')}Ask Ana about the icons\n`,
  );
  await here.dry(...inFolder(10));
  t.regex(listIn(10), /A dry run[^]*- \[x\] Create the team[^]*Ask Ana/);
  await here.sync(...inFolder(11));
  t.notRegex(listIn(11), /A dry run/);
  t.regex(listIn(11), /- \[x\] Create the team[^]*Ask Ana/);
});
