import test from 'ava';
import { bundleHarness, hasProblem, type ManifestJson } from '../test/harness.ts';

const language = { code: 'en', name: 'English', is_default: true, labelled: 1, total: 1, coverage: 1 };

const withMember = (name: string, value: unknown) => (manifest: ManifestJson) => ({ ...manifest, [name]: value });

for (const version of [undefined, '2.0', 1, 1.1, '1', '1.x', '01.0', null])
  test(`the format version ${JSON.stringify(version)} is refused`, async (t) => {
    const harness = await bundleHarness(t, { manifest: withMember('format_version', version) });
    await hasProblem(
      t,
      harness,
      `manifest.json:${version === undefined ? 1 : 3}`,
      /format_version must be a text "1\.<number>"/,
    );
  });

for (const version of ['1.0', '1.1', '1.27'])
  test(`the format version ${version} is taken`, async (t) => {
    const { manifest } = await (await bundleHarness(t, { manifest: withMember('format_version', version) })).read();
    t.is(manifest.formatVersion, version);
  });

for (const format of ['other', undefined, null, 'EXT-migration-bundle'])
  test(`the format ${JSON.stringify(format)} is refused`, async (t) => {
    const harness = await bundleHarness(t, { manifest: withMember('format', format) });
    t.regex((await harness.problems()).join(), /manifest\.json:\d+: format must be "ext-migration-bundle"/);
  });

for (const zone of [
  undefined,
  '',
  'Atlantis/City',
  ' Asia/Manila',
  'Asia/Manila ',
  '+08:00',
  'EST',
  'PST',
  'local',
  8,
  null,
])
  test(`the zone ${JSON.stringify(zone)} is refused`, async (t) => {
    const harness = await bundleHarness(t, { manifest: withMember('timezone', zone) });
    t.regex((await harness.problems()).join(), /manifest\.json:\d+: timezone must be UTC or .*EXT_TIMEZONE/);
  });

test('a zone may be written in any case and is compared by its canonical name', async (t) => {
  const { manifest } = await (await bundleHarness(t, { manifest: withMember('timezone', 'asia/manila') })).read();
  t.deepEqual(manifest.timezone, { name: 'asia/manila', canonical: 'Asia/Manila', source: 'configured' });
});

for (const source of [undefined, 'inferred', 'guessed', 7, null])
  test(`the timezone source ${JSON.stringify(source)} counts as inferred`, async (t) => {
    const { manifest } = await (await bundleHarness(t, { manifest: withMember('timezone_source', source) })).read();
    t.is(manifest.timezone.source, 'inferred');
  });

for (const time of [
  '2026-01-31T14:03:11',
  '2026-01-31',
  'now',
  undefined,
  5,
  '2026-02-30T00:00:00+08:00',
  '2026-01-31T24:00:00+08:00',
])
  test(`exported_at ${JSON.stringify(time)} is refused`, async (t) => {
    const harness = await bundleHarness(t, { manifest: withMember('exported_at', time) });
    t.regex((await harness.problems()).join(), /manifest\.json:\d+: exported_at /);
  });

for (const [what, area, words] of [
  ['missing', undefined, /conservation_area must be an object/],
  [
    'with a number as id',
    { uuid: 'aa'.repeat(16), id: 51, name: 'A' },
    /conservation_area\.id must be a text, it is the number 51/,
  ],
  ['with an empty id', { uuid: 'aa'.repeat(16), id: '', name: 'A' }, /id must have 1 to 8 characters/],
  ['with a blank id', { uuid: 'aa'.repeat(16), id: '  ', name: 'A' }, /id is blank/],
  ['with a long id', { uuid: 'aa'.repeat(16), id: '123456789', name: 'A' }, /id must have 1 to 8 characters, it has 9/],
  ['with a long name', { uuid: 'aa'.repeat(16), id: '1', name: 'x'.repeat(257) }, /name must have 0 to 256/],
  ['with a wrong uuid', { uuid: 'xyz', id: '1', name: 'A' }, /uuid must be a uuid/],
] as const)
  test(`an area ${what} is refused`, async (t) => {
    const harness = await bundleHarness(t, { manifest: withMember('conservation_area', area) });
    t.regex((await harness.problems()).join(), words);
  });

for (const [what, languages, words] of [
  ['none', [], /at least one language/],
  ['no default', [{ ...language, is_default: false }], /exactly one language must have is_default true, 0 have/],
  ['two defaults', [language, { ...language, code: 'fr' }], /exactly one .* 2 have: "en", "fr"/],
  ['the same one twice', [language, { ...language, is_default: false, code: ' en' }], /"en" is listed twice/],
  ['a blank code', [{ ...language, code: ' ' }], /code is blank/],
  ['coverage over 1', [{ ...language, coverage: 1.2 }], /coverage must be a number from 0 to 1/],
  ['coverage below 0', [{ ...language, coverage: -0.1 }], /coverage must be a number from 0 to 1/],
  ['coverage as a text', [{ ...language, coverage: '1' }], /coverage must be a number from 0 to 1/],
  ['a fraction of labels', [{ ...language, labelled: 0.5 }], /labelled must be a whole number/],
  ['an item that is no object', [language, 5], /languages\[1\] must be an object/],
] as const)
  test(`languages with ${what} are refused`, async (t) => {
    const harness = await bundleHarness(t, { manifest: withMember('languages', languages) });
    t.regex((await harness.problems()).join('\n'), words);
  });

test('codes of languages are trimmed, and codes that differ in case alone are two', async (t) => {
  const languages = [
    { ...language, code: ' en ' },
    { ...language, code: 'EN', is_default: false },
  ];
  const { manifest } = await (await bundleHarness(t, { manifest: withMember('languages', languages) })).read();
  t.deepEqual(
    manifest.languages.map(({ code }) => code),
    ['en', 'EN'],
  );
});

test('coverage that its integers do not give is a warning; 0 of 0 is full', async (t) => {
  const wrong = [{ ...language, labelled: 1, total: 2, coverage: 0.9 }];
  const warnings = await (await bundleHarness(t, { manifest: withMember('languages', wrong) })).warnings();
  t.regex(warnings.join(), /manifest\.json:\d+: the coverage 0\.9 of "en" is not labelled\/total \(1\/2 = 0\.5\)/);
  const empty = [{ ...language, labelled: 0, total: 0, coverage: 1 }];
  t.deepEqual(await (await bundleHarness(t, { manifest: withMember('languages', empty) })).warnings(), []);
});

const withTwoZones = (m: ManifestJson): string =>
  JSON.stringify(m, null, 2).replace('"timezone":', '"timezone": "UTC",\n  "timezone":');

test('a member that stands twice is refused at its line', async (t) => {
  await hasProblem(
    t,
    await bundleHarness(t, { manifest: withTwoZones }),
    'manifest.json:11',
    /the member "timezone" twice/,
  );
});

for (const [what, text, line, words] of [
  ['empty', '', 1, /is empty/],
  ['blank', ' \n ', 2, /is empty/],
  ['null', 'null', 1, /is not an object/],
  ['a list', '[]', 1, /is not an object/],
  ['with NaN', '{\n "a": NaN}', 2, /N is not expected there/],
  ['with a comment', '{\n\n // no\n}', 3, /\/ is not expected there/],
  ['with a trailing comma', '{"a": 1,\n}', 2, /\} is not expected there/],
  ['cut off', '{"a": 1', 1, /it ends too early/],
  ['with a lone surrogate', String.raw`{"a": "\ud800"}`, 1, /half of a surrogate pair/],
  ['nested too deeply', '['.repeat(65) + ']'.repeat(65), 1, /nests deeper than 64 levels/],
  ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), 1, /UTF-16/],
  ['UTF-16 without a mark', Buffer.from('{}', 'utf16le'), 1, /UTF-16/],
  ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 1, /is not UTF-8/],
  ['over 4 MiB', ' '.repeat(4 * 1024 * 1024 + 1), 1, /is over 4194304 bytes/],
] as const)
  test(`a manifest that is ${what} is refused`, async (t) => {
    await hasProblem(t, await bundleHarness(t, { manifest: () => text }), `manifest.json:${line}`, words);
  });

test('a manifest may begin with a byte order mark and hold members of later versions', async (t) => {
  const harness = await bundleHarness(t, {
    manifest: (m) => `\uFEFF${JSON.stringify({ ...m, later: { a: [1] }, ['__proto__']: 1 })}`,
  });
  t.is((await harness.read()).manifest.area.id, '051');
});

test('the hash in the identity is that of the bytes', async (t) => {
  t.regex((await (await bundleHarness(t)).read()).manifest.sha256, /^[0-9a-f]{64}$/);
});
