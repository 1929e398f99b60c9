import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { imageDefinitions, labelsOf, running } from './definitions.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name) => readFileSync(join(root, name), 'utf8');
const lines = read('images/Dockerfile')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ word: line.slice(0, line.indexOf(' ')), rest: line.slice(line.indexOf(' ') + 1).trim() }));

/** The instructions of a stage, those of the stage below it first. */
const stage = (name) => {
  const from = lines.findIndex(({ word, rest }) => word === 'FROM' && rest.endsWith(` AS ${name}`));
  const to = lines.findIndex(({ word }, index) => word === 'FROM' && index > from);
  const [below] = lines[from].rest.split(' ');
  const own = lines.slice(from + 1, to < 0 ? undefined : to);
  return below.startsWith('$') ? own : [...stage(below), ...own];
};

const last = (name, word) => stage(name).findLast((line) => line.word === word)?.rest;
const pairs = (text) =>
  Object.fromEntries([...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S+))/g)].map(([, k, a, b]) => [k, a ?? b]));

for (const definition of imageDefinitions(root)) {
  const { name, folder, command } = definition;

  test(`the Dockerfile’s ${name} is what the archive is: user, folder, entry point, command, variables, labels`, (t) => {
    t.is(last(name, 'USER'), running.user);
    t.is(last(name, 'WORKDIR'), running.folder);
    t.deepEqual(JSON.parse(last(name, 'ENTRYPOINT')), running.entrypoint);
    t.deepEqual(JSON.parse(last(name, 'CMD')), command);
    const { version } = JSON.parse(read(`${folder}/package.json`));
    const { 'org.opencontainers.image.created': _, ...labels } = labelsOf(definition, version, '');
    t.deepEqual(pairs(last(name, 'LABEL')), labels);
    const { PATH: path, ...env } = Object.fromEntries(running.env.map((each) => each.split('=')));
    t.is(path, '/usr/local/bin');
    t.deepEqual(pairs(last(name, 'ENV')), env);
  });

  test(`the Dockerfile’s ${name} runs nothing of its base, fetches nothing and sets no mode that its files do not have`, (t) => {
    const words = new Set(stage(name).map(({ word }) => word));
    for (const word of ['RUN', 'ADD', 'VOLUME', 'HEALTHCHECK', 'SHELL']) t.false(words.has(word), word);
    const copied = stage(name).filter(({ word }) => word === 'COPY');
    for (const { rest } of copied) {
      t.true(rest.startsWith('--from=build '), rest);
      t.false(rest.includes('--chmod'), rest);
    }
    t.true(copied.some(({ rest }) => rest === `--from=build /staged/${name}/ /`));
  });
}

test('both bases are arguments that can be pinned from outside', (t) => {
  const declared = lines
    .slice(
      0,
      lines.findIndex(({ word }) => word === 'FROM'),
    )
    .map(({ rest }) => rest.split('=')[0]);
  t.deepEqual(declared, ['BUILD_BASE', 'BASE']);
  const bases = lines.filter(({ word }) => word === 'FROM').map(({ rest }) => rest.split(' ')[0]);
  t.deepEqual(bases, ['${BUILD_BASE}', '${BASE}', 'base', 'base']);
});

test('what is installed or built here stays out of what is sent to a builder', (t) => {
  const ignored = read('.dockerignore').split('\n');
  for (const name of ['.git', '**/node_modules', '**/dist', '**/.data']) t.true(ignored.includes(name), name);
});
