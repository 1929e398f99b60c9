import test from 'ava';
import type { SampleRecord } from '../sample/write-bundle.ts';
import { id, leg, option, record, valid } from '../test/records.ts';
import { bundleHarness, hasProblem } from '../test/harness.ts';

const keyed = (kind: 'transports' | 'mandates' | 'patrol_attributes', ...keys: (string | null)[]) =>
  keys.map((key, at) => record(kind, { key, uuid: at === 0 ? valid[kind].uuid : id(`8${at}`) }));

for (const [one, other] of [
  ['Foot', 'foot'],
  ['a.b', 'a_b'],
] as const)
  for (const kind of ['transports', 'mandates', 'patrol_attributes'] as const)
    test(`the keys ${one} and ${other} of ${kind} clash, and both are named`, async (t) => {
      const harness = await bundleHarness(t, { records: { [kind]: keyed(kind, one, 'between', other) } });
      await hasProblem(
        t,
        harness,
        `${kind}.jsonl:3`,
        new RegExp(`"${other}" and "${one}" \\(line 1\\) both become \\w+;`),
      );
    });

test('classes whose keys become the same value clash', async (t) => {
  const patrol_classes = [valid.patrol_classes, { ...valid.patrol_classes, key: 'Ground' }];
  await hasProblem(
    t,
    await bundleHarness(t, { records: { patrol_classes } }),
    'patrol_classes.jsonl:2',
    /both become ground/,
  );
});

const list = (...options: unknown[]) => ({ ...valid.patrol_attributes, type: 'LIST', options });

test('options of one attribute clash by key, of a tree by path; those of two attributes do not', async (t) => {
  const same = [option('91', 'Dry'), option('92', 'dry')];
  const harness = await bundleHarness(t, { records: { patrol_attributes: [list(...same)] } });
  await hasProblem(t, harness, 'patrol_attributes.jsonl:1', /the options "dry" and "Dry" both become dry/);
  const nodes = [option('91', 'x', { path: 'a.b' }), option('92', 'x', { path: 'a_b' })];
  const tree = await bundleHarness(t, { records: { patrol_attributes: [{ ...list(...nodes), type: 'TREE' }] } });
  await hasProblem(t, tree, 'patrol_attributes.jsonl:1', /the options "a_b" and "a\.b" both become a_b/);
  const two = [list(option('91', 'dry')), { ...list(option('92', 'dry')), key: 'other', uuid: id('e2') }];
  await t.notThrowsAsync((await bundleHarness(t, { records: { patrol_attributes: two } })).read());
});

test('attributes whose options would be of one choice field clash', async (t) => {
  const patrol_attributes = [
    { ...list(), key: 'mandate' },
    { ...list(), key: 'ext_mandate', uuid: id('e2') },
  ];
  const harness = await bundleHarness(t, { records: { patrol_attributes } });
  await hasProblem(
    t,
    harness,
    'patrol_attributes.jsonl:2',
    /"ext_mandate" and "mandate" \(line 1\) both become patrol_ext_mandate/,
  );
});

test('only attributes with options have a choice field that could clash', async (t) => {
  const patrol_attributes = [
    { ...list(), key: 'mandate' },
    { ...valid.patrol_attributes, key: 'ext_mandate', uuid: id('e2') },
  ];
  await t.notThrowsAsync((await bundleHarness(t, { records: { patrol_attributes } })).read());
});

for (const key of [null, '', undefined] as const) {
  const transports = [valid.transports, { ...valid.transports, uuid: id('b2'), key }];
  const mandates = [valid.mandates, { ...valid.mandates, uuid: id('d2'), key }];
  const using = [{ ...valid.patrols, legs: [leg({ transport_uuid: id('b2'), mandate_uuid: id('d2') })] }];

  test(`the key ${JSON.stringify(key)} that no leg uses is a warning`, async (t) => {
    const read = await (await bundleHarness(t, { records: { transports, mandates } })).read();
    t.is(read.transports[1]?.key, null);
    t.deepEqual(
      read.warnings.map(({ text }) => text),
      [
        'transports.jsonl:2: the transport has no key and is left out',
        'mandates.jsonl:2: the mandate has no key and is left out',
      ],
    );
  });

  test(`the key ${JSON.stringify(key)} that a leg uses is refused`, async (t) => {
    t.deepEqual(await (await bundleHarness(t, { records: { transports, mandates, patrols: using } })).problems(), [
      'transports.jsonl:2: the transport has no key, and legs use it; give it a key and export again',
      'mandates.jsonl:2: the mandate has no key, and legs use it; give it a key and export again',
    ]);
  });
}

test('attributes and options without a key, and attributes of an unknown type, are warnings', async (t) => {
  const patrol_attributes = [
    ...keyed('patrol_attributes', null),
    { ...list(option('91', null), option('92', 'dry')), key: 'weather', uuid: id('e2') },
    { ...valid.patrol_attributes, key: 'shape', uuid: id('e3'), type: 'POLYGON', options: 5 },
  ];
  const read = await (await bundleHarness(t, { records: { patrol_attributes } })).read();
  t.is(read.attributes[2]?.type, null);
  t.deepEqual(
    read.warnings.map(({ text }) => text),
    [
      'patrol_attributes.jsonl:1: the attribute has no key and is left out',
      'patrol_attributes.jsonl:2: has options without key; they are left out',
      'patrol_attributes.jsonl:3: the attribute type "POLYGON" is not known; the attribute is left out',
    ],
  );
});

const attribute = (parts: SampleRecord) => ({ records: { patrol_attributes: [record('patrol_attributes', parts)] } });

test('a list may have no options, other types must have none', async (t) => {
  for (const type of ['LIST', 'TREE'])
    for (const options of [undefined, []])
      await t.notThrowsAsync((await bundleHarness(t, attribute({ type, options }))).read());
  for (const type of ['TEXT', 'NUMERIC', 'BOOLEAN', 'DATE']) {
    const harness = await bundleHarness(t, attribute({ type, options: [option('91', 'a')] }));
    await hasProblem(
      t,
      harness,
      'patrol_attributes.jsonl:1',
      new RegExp(`options stand on an attribute of type ${type}`),
    );
  }
});

test('a uuid of an option stands once in the file', async (t) => {
  const harness = await bundleHarness(t, {
    records: { patrol_attributes: [list(option('91', 'a'), option('91', 'b'))] },
  });
  await hasProblem(t, harness, 'patrol_attributes.jsonl:1', /options\[1\]\.uuid 9191.* stands in the file twice/);
});

const node = (pair: string, parent: string | null, path = pair) =>
  option(pair, pair, { path, parent_uuid: parent === null ? null : id(parent) });

const tree = (...options: unknown[]) => ({
  records: { patrol_attributes: [{ ...valid.patrol_attributes, type: 'TREE', options }] },
});

test('a tree may list children before their parents', async (t) => {
  await t.notThrowsAsync((await bundleHarness(t, tree(node('93', '92'), node('92', '91'), node('91', null)))).read());
});

test('a parent that is no node of the attribute is refused', async (t) => {
  const harness = await bundleHarness(t, tree(node('91', null), node('92', '99')));
  await hasProblem(t, harness, 'patrol_attributes.jsonl:1', /the node "92" names the parent 9{32}/);
});

test('parents that go in a circle are refused', async (t) => {
  const own = await bundleHarness(t, tree(node('91', '91')));
  await hasProblem(t, own, 'patrol_attributes.jsonl:1', /the node "91" is its own ancestor/);
  const three = await bundleHarness(t, tree(node('91', '93'), node('92', '91'), node('93', '92'), node('94', '93')));
  await hasProblem(t, three, 'patrol_attributes.jsonl:1', /is its own ancestor/);
});

for (const path of [undefined, null, 5])
  test(`a node whose path is ${JSON.stringify(path)} is refused`, async (t) => {
    const harness = await bundleHarness(t, tree({ ...node('91', null), path }));
    await hasProblem(t, harness, 'patrol_attributes.jsonl:1', /options\[0\]\.path must be a text/);
  });

for (const order of [undefined, '1', 1.5, null])
  test(`an option whose order is ${JSON.stringify(order)} is refused`, async (t) => {
    const harness = await bundleHarness(t, { records: { patrol_attributes: [list(option('91', 'a', { order }))] } });
    await hasProblem(t, harness, 'patrol_attributes.jsonl:1', /options\[0\]\.order must be a whole number/);
  });
