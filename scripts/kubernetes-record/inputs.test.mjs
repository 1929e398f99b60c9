import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { readSource } from '../import-rules/imports.mjs';
import { isInput } from './inputs.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What runs in the suites or in what they install, before its imports. */
const entries = [
  'e2e/kubernetes/**/*.e2e.ts',
  'e2e/kubernetes*.config.mjs',
  'e2e/src/harness/prepare.ts',
  'scripts/{bundle,images,program-image,run}.mjs',
  '{libs,services,cli}/*/src/main*.ts',
];

/** The files that a source imports, and those that it names by `new URL`. @param {string} path */
const namedBy = (path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const own = (specifier) =>
    specifier.startsWith('.')
      ? join(root, dirname(path), specifier)
      : specifier.startsWith('@ranger-relay/')
        ? fileURLToPath(import.meta.resolve(specifier))
        : undefined;
  const urls = [...text.matchAll(/new URL\(\s*'([^']+)',\s*import\.meta\.url/g)].map(([, url]) =>
    join(root, dirname(path), url),
  );
  return [...readSource(text, path.endsWith('.ts') ? 'ts' : 'js').specifiers.map(own), ...urls]
    .filter((file) => file !== undefined && existsSync(file) && statSync(file).isFile())
    .map((file) => relative(root, file));
};

test('whatever the suites and the images import or read by its name is an input', (t) => {
  const reached = new Set();
  const visit = (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    if (/\.(ts|mjs)$/.test(path)) for (const next of namedBy(path)) visit(next);
  };
  for (const path of globSync(entries, { cwd: root })) if (!path.includes('.test.')) visit(path);
  for (const path of ['docs/kubernetes.md', 'libs/runtime/src/testing/index.ts', 'services/operator/src/compose.ts'])
    t.true(reached.has(path), path);
  t.deepEqual(
    [...reached].filter((path) => !isInput(path)),
    [],
  );
});

test('a file counts unless it is known not to matter, also in a new folder', (t) => {
  for (const path of [
    'a-new-folder/a',
    'charts/patrol-sync/README.md',
    'charts/ranger-relay/templates/tests/doctor.yaml',
    'e2e/kubernetes/cluster/build.sh',
    'e2e/src/a-new-folder/a.ts',
    'k8s/alerts/tests/operator.yaml',
    'k8s/runbooks/RelayBacklog.md',
    'libs/a-new-library/src/testing/index.ts',
    'package-lock.json',
  ])
    t.true(isInput(path), path);
});

test('unit tests, other scenarios, the bench, documents and checks of the sources do not count', (t) => {
  for (const path of [
    'CHANGELOG.md',
    'docs/decisions/01-kafka-wire-requests.md',
    'images/README.md',
    'cli/relay/bin/child.test.mjs',
    'libs/bus/src/kafka/test/client.ts',
    'libs/bus/src/testing/index.ts',
    'services/operator/src/compose.test.ts',
    'e2e/src/poison.e2e.ts',
    'e2e/src/bench/main.ts',
    'e2e/src/world/world.ts',
    'e2e/kubernetes/charts/place.test.ts',
    'e2e/kubernetes/last-green.json',
    'scripts/docs.mjs',
    'scripts/import-rules/check.mjs',
    'turbo.json',
  ])
    t.false(isInput(path), path);
});
