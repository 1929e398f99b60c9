import test from 'ava';
import { readFileSync } from 'node:fs';
import { fc, testProp } from '@fast-check/ava';
import { systemClock } from '@ranger-relay/runtime';
import { openSite } from '@ranger-relay/site';
import { canonicalZone } from '../bundle/time/time.ts';
import { formOf } from '../program/flags.ts';
import { syncProgram } from '../program/program.ts';
import { call } from '../show/test/call.ts';
import { type TableCommand, tableOf } from './table.ts';
import { testShell } from '../test/shell.ts';

const table = tableOf(await syncProgram(testShell()));
const named = (words: string): TableCommand | undefined => table.find((command) => command.words.join(' ') === words);
const takes = (words: string, option: string): unknown =>
  named(words)?.options.find((each) => each.option === option)?.takes;

test('the file with all options contains what the tool accepts (npm run docs writes it)', (t) => {
  const file = new URL('../../options.json', import.meta.url);
  t.deepEqual(JSON.parse(readFileSync(file, 'utf8')), JSON.parse(JSON.stringify(table)));
});

test('it is printed as JSON', async (t) => {
  const { code, out } = await call('completion', 'json');
  t.is(code, 0);
  t.deepEqual(JSON.parse(out), JSON.parse(JSON.stringify(table)));
});

test('it has every command that does something, with its arguments', (t) => {
  const words = new Set(table.map((command) => command.words.join(' ')));
  for (const command of ['', 'patrol-datamodel', 'undo', 'files print', 'bundle sample']) t.true(words.has(command));
  t.false(words.has('bundle'));
  t.deepEqual(named('undo')?.arguments, [{ name: 'record', many: true }]);
  t.deepEqual(named('resume')?.arguments, [{ name: 'record', many: false }]);
});

test('it says what each option takes', (t) => {
  t.is(takes('patrol-datamodel', '--subject-name-suffix'), 'nothing');
  t.is(takes('patrol-datamodel', '--bundle'), 'path');
  t.is(takes('patrol-datamodel', '--roster-group'), 'text');
  t.deepEqual(takes('patrol-datamodel', '--max-deactivations'), { min: 0, max: 1_000_000 });
  t.deepEqual(takes('doctor', '--output'), { words: ['text', 'json'] });
  t.true(named('undo')?.options.find(({ option }) => option === '--force')?.many);
  t.true(named('apply')?.options.find(({ option }) => option === '--plan')?.needed);
  t.is(named('apply')?.options.find(({ option }) => option === '--max-deactivations')?.name, 'maxDeactivations');
});

const log = { debug: () => undefined, warn: () => undefined };
/** As a call with this address does. */
const readAddress = (text: string): void =>
  openSite({ address: text, token: 'x', clock: systemClock, log, userAgent: 'test' }).close();

const address = new RegExp(formOf('--site-endpoint') ?? '');
const zone = new RegExp(formOf('--timezone') ?? '');

testProp('an address of the form is one that the tool takes', [fc.stringMatching(address)], (t, text) => {
  fc.pre(!text.includes('xn--'));
  t.notThrows(() => readAddress(text), text);
});

for (const text of [
  'site.example',
  'https://site.example',
  'http://127.0.0.1:8090',
  'SITE.example:8443/',
  'https://parks.example/north/api/v1.0/',
])
  test(`${text} is of the form`, (t) => t.regex(text, address));

for (const text of [
  '',
  'ftp://site.example',
  'user:secret@site.example',
  'site.example/login',
  'site.example/api/../park',
  'a b',
  '1.2.3.256',
  'x:99999',
])
  test(`"${text}" is no address for the tool, and not of the form`, (t) => {
    t.throws(() => readAddress(text));
    t.notRegex(text, address);
  });

for (const text of ['UTC', 'Asia/Manila', 'asia/manila', 'Etc/GMT-8', 'America/Argentina/Ushuaia'])
  test(`${text} is of the form of a timezone`, (t) => {
    t.not(canonicalZone(text), null);
    t.regex(text, zone);
  });

for (const text of ['', '+08:00', 'PST', 'local', ' Asia/Manila'])
  test(`"${text}" is no timezone, and not of the form`, (t) => {
    t.is(canonicalZone(text), null);
    t.notRegex(text, zone);
  });
