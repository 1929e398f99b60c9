import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { imageDefinitions } from './definitions.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [relay, sync] = imageDefinitions(root);

test('every service is in the image of the services, under its name', (t) => {
  const services = readdirSync(join(root, 'services'));
  t.true(services.length >= 4);
  for (const name of services)
    t.true(
      relay.programs.some(({ file }) => file === `${name}.mjs`),
      name,
    );
});

test('every program has its source, and what runs by default is one of them', (t) => {
  for (const { programs, command } of [relay, sync]) {
    for (const { input } of programs) t.true(existsSync(join(root, input)), input);
    t.true(programs.some(({ file }) => command[0] === `/app/${file}`));
  }
});

test('the worker that the embedded stores look for beside the bundle is there, under the name that they look for', (t) => {
  const source = readFileSync(join(root, 'libs/sqlite/src/open-sqlite.ts'), 'utf8');
  const [, worker] = /'\.\/([\w-]+\.js)'/.exec(source) ?? [];
  t.true(
    relay.programs.some(({ file }) => file === worker),
    worker,
  );
});

test('every program that is started by itself ends at a signal before it listens', (t) => {
  for (const { programs } of [relay, sync])
    for (const { file, banner } of programs) if (file.endsWith('.mjs')) t.true(banner?.includes('SIGTERM'), file);
});
