import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { runRecordSchema } from '@ranger-relay/contracts';
import type { FreshSiteOptions } from '@ranger-relay/simulators';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { formOf2025 } from '../form/test/form-of-2025.ts';
import { openHarness, type Harness } from '../test/harness.ts';
import type { FormOptions } from './test/admin-document.ts';

const sample = (t: ExecutionContext, options: FreshSiteOptions = {}): Promise<Harness> =>
  openHarness(t, (folder) => writeContractSample(folder), options);

const formOf = ({ site }: Harness): FormOptions => site.state().form as FormOptions;
const ours = ['objective', 'mandate', 'station', 'patrol_class', 'armed', 'comment', 'ext_weather', 'ext_crew'];

test('a form of 2025 stops the step and is named; with --modernize-form it is brought into the format of today, each change named', async (t) => {
  const choices = [{ field: 'patrol_activity', value: 'routine', display: 'Routine' }];
  const here = await sample(t, { state: { form: formOf2025(), choices } });
  const without = await here.sync('--output', 'json');
  t.is(without.code, 1);
  t.like((without.json()['failures'] as unknown[])[0], { step: 'universal_patrol_fields', reason: 'form_outdated' });
  t.regex(without.err, /^Patrol fields: .*--modernize-form.*additionalProperties/m);
  t.notRegex(without.err, /^Warning: The site's form had a fault/m);
  t.deepEqual(here.site.state().form, formOf2025());
  t.is(here.site.state().subjects.length, 3);
  const dry = await here.dry('--modernize-form');
  t.regex(dry.out, /json\.properties\.gear\.items: .*unevaluatedProperties/, dry.err);
  const { code, err, json } = await here.sync('--modernize-form', '--output', 'json');
  t.is(code, 0, err);
  const record = runRecordSchema.parse(JSON.parse(readFileSync(String(json()['record']), 'utf8')));
  const [change] = record.changes;
  t.is(change?.kind === 'universal_patrol_fields' ? change.repaired?.length : 0, 7);
  for (const name of ['leader', 'activity', 'gear', ...ours]) t.true(Object.hasOwn(formOf(here).json.properties, name));
  here.writes();
  t.is((await here.sync()).code, 0);
  t.deepEqual(here.writes(), []);
  const undone = await here.run('undo', String(json()['record']), ...here.onSite);
  t.is(undone.code, 0, undone.err);
  t.regex(
    undone.out,
    /^undone: universal patrol fields: .* \(with what the site needs today: .*unevaluatedProperties/m,
  );
  t.deepEqual(Object.keys(formOf(here).json.properties), ['leader', 'activity', 'gear']);
  t.deepEqual(formOf(here).json.required, ['leader']);
});

test('--modernize-form adds to the list the options that only the form had; undo names those that it leaves', async (t) => {
  const choices = [{ field: 'patrol_activity', value: 'old', display: 'Old' }];
  const here = await sample(t, { state: { form: formOf2025(), choices } });
  const dry = await here.dry('--modernize-form');
  t.regex(dry.out, /^ +~ ui\.fields\.activity\.choices: .* patrol_activity, which gets routine$/m);
  t.regex(dry.out, /^\+ choice patrol_activity routine "Routine"$/m);
  t.is((await here.sync('--modernize-form')).code, 0);
  const options = () =>
    here.site
      .state()
      .choices.filter(({ field }) => field === 'patrol_activity')
      .map(({ value, display, is_active, ordernum }) => [value, display, is_active, ordernum]);
  const both = [
    ['old', 'Old', true, null],
    ['routine', 'Routine', true, 1],
  ];
  t.deepEqual(options(), both);
  here.writes();
  t.is((await here.sync()).code, 0);
  t.deepEqual(here.writes(), []);
  const { code, out } = await here.run('undo', here.recordPath(), ...here.onSite);
  t.is(code, 3, out);
  t.regex(out, /^left: choice patrol_activity routine .*the form still offers/m);
  t.regex(out, /^undone: universal patrol fields/m);
  t.deepEqual(options(), both);
});

test('--modernize-form sends nothing of a form whose choices could not be read, or have values that no list takes', async (t) => {
  const here = await sample(t, { state: { form: formOf2025() } });
  here.site.tokens.revoke(here.site.token, 'choices.view_choice');
  t.is((await here.sync('--modernize-form')).code, 1);
  t.deepEqual(here.site.state().form, formOf2025());
  here.site.tokens.grant(here.site.token, 'choices.view_choice');
  const odd = JSON.parse(JSON.stringify(formOf2025()).replaceAll('"routine"', '"by night"')) as FormOptions;
  here.site.seed({ form: odd });
  for (const run of [here.dry, here.sync]) {
    const { code, err } = await run('--modernize-form');
    t.is(code, 1);
    t.regex(
      err,
      /^Patrol fields: .*patrol_activity takes no such values.*: by night\. at ui\.fields\.activity\.choices/m,
    );
    t.deepEqual(here.site.state().form, odd);
  }
});
