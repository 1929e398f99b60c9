import test from 'ava';
import { valid } from '../test/records.ts';
import { bundleHarness, hasProblem } from '../test/harness.ts';

const station = JSON.stringify(valid.stations);
const second = JSON.stringify({ ...valid.stations, uuid: 'c2'.repeat(16) });
const mark = '\uFEFF';

for (const [what, text] of [
  ['a byte order mark', `${mark}${station}\n${second}\n`],
  ['CRLF', `${station}\r\n${second}\r\n`],
  ['blank lines', `\n  \n${station}\n\t\r\n\n${second}\n\n`],
  ['no last newline', `${station}\n${second}`],
  ['blanks around records', `  ${station}  \n\t${second}\t`],
] as const)
  test(`${what} makes no difference`, async (t) => {
    const harness = await bundleHarness(t, { raw: { stations: text }, rawRecords: 2 });
    t.is((await harness.read()).stations.length, 2);
  });

test('only one byte order mark is taken off', async (t) => {
  const harness = await bundleHarness(t, { raw: { stations: `${mark}${mark}${station}` } });
  await hasProblem(t, harness, 'stations.jsonl:1', /U\+feff is not expected there/);
});

for (const [what, bytes] of [
  ['with a mark, little endian', Buffer.from(`${mark}${station}\n`, 'utf16le')],
  ['with a mark, big endian', Buffer.from(`${mark}${station}\n`, 'utf16le').swap16()],
  ['without a mark', Buffer.from(`${station}\n`, 'utf16le')],
] as const)
  test(`UTF-16 ${what} is refused as such`, async (t) => {
    await hasProblem(
      t,
      await bundleHarness(t, { raw: { stations: bytes } }),
      'stations.jsonl:1',
      /is UTF-16 or UTF-32/,
    );
  });

for (const [what, bytes] of [
  ['a byte that begins nothing', [0xff]],
  ['a character cut off', [0xc3]],
  ['a surrogate as three bytes', [0xed, 0xa0, 0x80]],
  ['an overlong form', [0xc0, 0xaf]],
] as const)
  test(`UTF-8 with ${what} is refused at its line`, async (t) => {
    const raw = Buffer.concat([Buffer.from(`${station}\n"`), Buffer.from(bytes), Buffer.from(`"\n${second}\n`)]);
    await hasProblem(t, await bundleHarness(t, { raw: { stations: raw } }), 'stations.jsonl:2', /is not UTF-8/);
  });

for (const [what, text] of [
  ['a label', station.replace('Label', String.raw`a\uDC00b`)],
  ['a name of a member', station.replace('"en"', String.raw`"e\ud83d"`)],
  ['an unknown member', station.replace('{', String.raw`{"later":[{"a":"\ud83d\u0041"}],`)],
] as const)
  test(`half of a surrogate pair in ${what} is refused`, async (t) => {
    await hasProblem(
      t,
      await bundleHarness(t, { raw: { stations: text } }),
      'stations.jsonl:1',
      /half of a surrogate pair/,
    );
  });

test('whole surrogate pairs and other escapes are fine', async (t) => {
  const text = station.replace('Label', String.raw`\ud83d\uDE92 \\ud800 caf\u00e9`);
  const { stations } = await (await bundleHarness(t, { raw: { stations: text } })).read();
  t.is(stations[0]?.names.get('en'), '🚒 \\ud800 café');
});

const limit = 4 * 1024 * 1024;
const ofLength = (length: number): string => station.replace('{', `{"x":"${'y'.repeat(length - station.length - 7)}",`);

test('a line of 4 MiB is read, its end does not count', async (t) => {
  t.is(ofLength(limit).length, limit);
  for (const end of ['\n', '\r\n']) {
    const harness = await bundleHarness(t, { raw: { stations: ofLength(limit) + end + second }, rawRecords: 2 });
    t.is((await harness.read()).stations.length, 2);
  }
});

for (const [what, text] of [
  ['one byte longer', `${second}\n${ofLength(limit + 1)}\n${second}\n`],
  ['the last one', `${second}\n${ofLength(limit + 1)}`],
  ['much longer', `${second}\n${ofLength(3 * limit)}\n{}{\n`],
  ['longer in bytes than in characters', `${second}\n${ofLength(limit - 10).replaceAll('y', 'é')}\n`],
] as const)
  test(`a line over 4 MiB is refused: ${what}`, async (t) => {
    const problems = await (await bundleHarness(t, { raw: { stations: text } })).problems();
    t.regex(problems[0] ?? '', /^stations\.jsonl:2: is longer than 4194304 bytes/);
    t.true(
      problems.slice(1).every((problem) => problem.startsWith('stations.jsonl:3: ')),
      problems.join('\n'),
    );
  });

const nested = (depth: number): string => station.replace('{', `{"x":${'['.repeat(depth)}${']'.repeat(depth)},`);

test('64 levels are read, 65 are refused', async (t) => {
  await t.notThrowsAsync((await bundleHarness(t, { raw: { stations: nested(63) } })).read());
  const harness = await bundleHarness(t, { raw: { stations: nested(64) } });
  await hasProblem(t, harness, 'stations.jsonl:1', /nests deeper than 64 levels/);
});

test('brackets in texts do not nest, and very deep nesting does no harm', async (t) => {
  await t.notThrowsAsync(
    (await bundleHarness(t, { raw: { stations: station.replace('Label', '[{\\"'.repeat(100)) } })).read(),
  );
  const harness = await bundleHarness(t, { raw: { patrols: '['.repeat(1_000_000) } });
  await hasProblem(t, harness, 'patrols.jsonl:1', /nests deeper than 64 levels/);
});

for (const [what, line, words] of [
  ['null', 'null', /is not an object/],
  ['a list', '[1]', /is not an object/],
  ['a text', '"a"', /is not an object/],
  ['NaN', station.replace('true', 'NaN'), /is not JSON: N is not expected there \(column \d+\)/],
  ['a comment', `// ${station}`, /\/ is not expected there \(column 1\)/],
  ['a trailing comma', `${station.slice(0, -1)},}`, /\} is not expected there/],
  ['two records', `${station}${second}`, /\{ is not expected there/],
  ['a line break in a text', station.replace('Label', 'La\tbel'), /U\+0009 is not expected there/],
  ['half a record', station.slice(0, 40), /it ends too early/],
] as const)
  for (const kind of ['stations', 'patrols'] as const)
    test(`${what} as a line of ${kind} is refused with its line`, async (t) => {
      const text = `\n${line}\n`;
      await hasProblem(t, await bundleHarness(t, { raw: { [kind]: text } }), `${kind}.jsonl:2`, words);
    });

const repeated = (record: object): string => JSON.stringify(record).replace('{', '{"uuid":"replaced",');

test('a member that stands twice is a warning in vocabulary and employees, and is not looked for in patrols', async (t) => {
  const warnings = await (
    await bundleHarness(t, {
      raw: {
        stations: repeated(valid.stations),
        employees: repeated(valid.employees),
        patrols: repeated(valid.patrols),
      },
    })
  ).warnings();
  t.deepEqual(warnings, [
    'stations.jsonl:1: has the member "uuid" twice in one object; the last one counts',
    'employees.jsonl:1: has the member "uuid" twice in one object; the last one counts',
  ]);
});

test('a member that stands twice is found in whatever spelling', async (t) => {
  for (const twice of ['"x":1,"x" : 2', '"x" :1,"x"\t:2', '"x":"\\":","x":1', String.raw`"x":1,"\u0078":2`]) {
    const text = station.replace('{', `{${twice},`);
    t.regex(
      (await (await bundleHarness(t, { raw: { stations: text } })).warnings()).join(),
      /the member "x" twice/,
      twice,
    );
  }
});
