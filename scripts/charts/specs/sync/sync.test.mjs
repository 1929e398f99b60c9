import test from 'ava';
import { patrolSync } from '../patrol-sync.mjs';
import { commands, globalOptions, optionsOf } from './commands.mjs';
import { elsewhere, factsOf, optionEntries } from './options.mjs';

const paths = new Set(patrolSync.entries.map(({ path }) => path));
const used = commands.flatMap((command) => [...optionsOf(command)]);

test('every option of the commands has a value, or the place that stands for it is said', (t) => {
  for (const { name } of [...used, ...globalOptions])
    t.true(paths.has(`options.${name}`) || elsewhere[name] !== undefined, name);
});

test('no value is left of an option that the tool no longer has', (t) => {
  const names = new Set(used.map(({ name }) => name));
  for (const { path } of optionEntries) t.true(names.has(path.replace('options.', '')), path);
  const known = new Set([...names, ...globalOptions.map(({ name }) => name)]);
  for (const name of Object.keys(elsewhere)) t.true(known.has(name), name);
});

test('each place that is named for an option is a value', (t) => {
  for (const { value } of Object.values(elsewhere)) if (value !== undefined) t.true(paths.has(value), value);
});

test('a value takes what the option takes: words, bounds and form', (t) => {
  for (const { name, takes, many } of used) {
    const schema = optionEntries.find(({ path }) => path === `options.${name}`)?.schema;
    if (schema === undefined || typeof takes === 'string') continue;
    if ('words' in takes) t.deepEqual(many ? schema.items?.enum : schema.enum, takes.words, name);
    else if ('min' in takes) t.like(schema, { minimum: takes.min, maximum: takes.max }, name);
    else t.true(schema.pattern.endsWith(takes.pattern), name);
  }
});

test('a token is in no argument', (t) => {
  for (const command of commands) t.false(factsOf(command).some(({ option }) => option === '--site-token'));
});

const waits = (command) => factsOf(command).some(({ option }) => option === '--wait-for-lock');

test('every command that writes to the site waits for a lock of which nobody knows whether its holder lives', (t) => {
  t.deepEqual(
    commands.filter(waits).map(({ suffix }) => suffix),
    ['', '-apply', '-resume', '-undo'],
  );
});

test('what changes nothing on the site is said to be so, and only reads the volume or the site', (t) => {
  for (const { suffix, dryRun, output, words } of commands) {
    if (suffix.endsWith('-plan')) t.true(dryRun);
    if (words[0] === 'files' || suffix === '-undo-plan') t.is(output, 'read', suffix);
  }
});

test('names of CronJobs differ, and each says what a Job made of it does', (t) => {
  t.is(new Set(commands.map(({ suffix }) => suffix)).size, commands.length);
  for (const { about } of commands) t.regex(about, /^[a-z].*[^.]$/);
});
