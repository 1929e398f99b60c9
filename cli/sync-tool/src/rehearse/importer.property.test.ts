import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { freshSite, type SiteSimulator } from '@ranger-relay/simulators';
import { writeSampleBundle } from '../bundle/sample/sample-bundle.ts';
import { temporaryFolder } from '../bundle/test/folder.ts';
import { smallCounts } from '../properties/test/case.ts';
import { runTool, seedTeamAndEventType } from '../test/harness.ts';
import { rehearseImport } from '../test/importer/rehearse.ts';
import { testShell } from '../test/shell.ts';
import { leave } from './test/prepared.ts';

/** What somebody does to a prepared site; numbers choose among what is there. */
const faults = {
  'loses the id of a subject': (site: SiteSimulator, at: number) =>
    site.edit('subjects', subjectAt(site, at).id, { additional: {} }),
  'takes a subject out of its groups': (site: SiteSimulator, at: number) => leave(site, subjectAt(site, at).name),
  'makes a patrol type inactive': (site: SiteSimulator, at: number) => {
    const { types } = site.state();
    site.edit('types', types[at % types.length]?.id ?? '', { is_active: false });
  },
  'makes the teams inactive': (site: SiteSimulator) =>
    site.seed({ teams: [{ value: 'team_0', display: 'Team 0', is_active: false }] }),
} as const;

const subjectAt = (site: SiteSimulator, at: number): { readonly id: string; readonly name: string } => {
  const { subjects } = site.state();
  return subjects[at % subjects.length] ?? { id: '', name: '' };
};

const harm = fc.record({
  kind: fc.constantFrom(...(Object.keys(faults) as (keyof typeof faults)[])),
  at: fc.integer({ min: 0, max: 30 }),
});

/** A run, and what its dry run says of the import. */
const runAsForetold = async (t: ExecutionContext, on: readonly string[]): Promise<void> => {
  const call = ['patrol-datamodel', ...on, '--output', 'json'];
  const foretold = await runTool(testShell(), ['--dry-run', ...call]);
  const made = await runTool(testShell(), call);
  t.is(made.code, 0, made.err);
  t.truthy(made.json()['verdict']);
  for (const name of ['verdict', 'patrols']) t.deepEqual(foretold.json()[name], made.json()[name], foretold.out);
};

test('as many patrols import as rehearse, and the dry run before it, say, whatever is taken away from the site', async (t) => {
  const folder = await temporaryFolder(t);
  const bundle = join(folder, 'export');
  await writeSampleBundle(bundle, { format: 'exported', counts: { ...smallCounts, patrols: 12, employees: 20 } });
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(harm, { maxLength: 3 }), async (harms) => {
      const site = await freshSite();
      const on = ['--bundle', bundle, '--site-endpoint', site.url, '--site-token', site.token];
      seedTeamAndEventType(site, 'ext');
      await runAsForetold(t, on);
      // Patrols of the sample use a transport that is inactive: an admin does what the rehearsal says.
      for (const { id } of site.state().types) site.edit('types', id, { is_active: true });
      for (const { kind, at } of harms) faults[kind](site, at);
      const rehearsed = await runTool(testShell(), ['rehearse', ...on, '--output', 'json']);
      const { patrols, ok } = rehearsed.json() as { patrols: { would_import: number; would_not: number }; ok: boolean };
      const imported = await rehearseImport(site, bundle, 'ext');
      await runAsForetold(t, on);
      await site.close();
      // The importer stops before the first patrol of an inactive type; the site itself would take it.
      const isStricter = imported.missing.some((name) => name.startsWith('type '));
      const expected = isStricter ? Math.min(imported.patrols, patrols.would_import) : imported.patrols;
      t.is(patrols.would_import, expected, `${JSON.stringify(harms)}\n${rehearsed.out}`);
      t.is(ok, imported.missing.length === 0 && imported.refused.length === 0, rehearsed.out);
      const outcome = patrols.would_not === 0 ? 'all' : patrols.would_import === 0 ? 'none' : 'some';
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }),
    { numRuns: 25, seed: 7 },
  );
  t.log(JSON.stringify(Object.fromEntries(outcomes)));
});
