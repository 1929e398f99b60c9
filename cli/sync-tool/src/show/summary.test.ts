import test from 'ava';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { summaryOf } from './summary.ts';
import { temporaryFolder } from '../bundle/test/folder.ts';

test('a summary counts what there is and what patrols use', async (t) => {
  const folder = await temporaryFolder(t);
  await writeContractSample(folder);
  const summary = summaryOf(await readBundle(folder));
  t.like(summary, { path: folder, format_version: '1.1', exported_at: '2026-01-31T00:00:00+00:00', warnings: [] });
  t.deepEqual(summary.counts, {
    transports: { all: 2, used: 1 },
    patrol_classes: 1,
    mandates: { all: 1, used: 1 },
    stations: { all: 3, used: 1, unnamed: 2, unnamed_used: 1 },
    teams: 1,
    attributes: 2,
    options: 2,
    employees: { all: 4, used: 3, logins: 2 },
    patrols: 1,
  });
});

test('logins are not counted where the bundle does not flag them', async (t) => {
  const folder = await temporaryFolder(t);
  await writeContractSample(folder, { formatVersion: '1.0' });
  t.is(summaryOf(await readBundle(folder)).counts.employees.logins, null);
});
