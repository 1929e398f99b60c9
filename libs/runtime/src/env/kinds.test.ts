import { fc, testProp } from '@fast-check/ava';
import { anyCharacter } from '../testing/any-character.ts';
import test from 'ava';
import { blockListOf, kinds, type Kind } from '../index.ts';

const read = <T>(kind: Kind<T>, raw: string): unknown => {
  const parsed = kind.schema.safeParse(raw);
  return parsed.success ? parsed.data : 'refused';
};

const cases: readonly [string, Kind<unknown>, good: readonly [string, unknown][], bad: readonly string[]][] = [
  [
    'integer',
    kinds.integer(-5, 100),
    [
      ['0', 0],
      ['-5', -5],
      ['100', 100],
      ['007', 7],
    ],
    ['101', '-6', '1.5', '1e2', ' 1', '', 'ten', '0x10', '99999999999999999999'],
  ],
  [
    'port',
    kinds.port(),
    [
      ['0', 0],
      ['8081', 8081],
      ['65535', 65_535],
    ],
    ['65536', '-1', 'http', '80 '],
  ],
  [
    'flag',
    kinds.flag(),
    [
      ['true', true],
      ['false', false],
      ['1', true],
      ['0', false],
      ['TRUE', true],
    ],
    ['maybe', '2', ''],
  ],
  [
    'oneOf',
    kinds.oneOf('ack', 'reject'),
    [
      ['ack', 'ack'],
      ['reject', 'reject'],
    ],
    ['ACK', 'other', ''],
  ],
  [
    'text',
    kinds.text(5),
    [
      ['abcde', 'abcde'],
      ['a b', 'a b'],
    ],
    ['', 'abcdef'],
  ],
  [
    'slug',
    kinds.slug(),
    [
      ['site_connector2', 'site_connector2'],
      [' X_1\n', 'X_1'],
    ],
    ['', ' ', 'a-b', 'a b', 'ä', 'a/b', 'x'.repeat(101)],
  ],
  [
    'topic',
    kinds.topic(5),
    [
      ['a.b-c', 'a.b-c'],
      ['_1', '_1'],
    ],
    ['', '.', '.a', 'a b', 'a:b', 'a/b', 'ä', 'abcdef'],
  ],
  [
    'matching',
    kinds.matching(/^a+[*]?$/, 'a', 3),
    [
      ['aa', 'aa'],
      ['a*', 'a*'],
    ],
    ['', 'b', 'a**', 'aaaa'],
  ],
  [
    'path',
    kinds.path(),
    [
      ['.data', '.data'],
      ['/a b/c', '/a b/c'],
    ],
    ['', 'x'.repeat(4_097)],
  ],
  [
    'url',
    kinds.url(),
    [
      ['https://h.example', 'https://h.example'],
      ['https://h.example/', 'https://h.example'],
      ['http://127.0.0.1:8080/v2//', 'http://127.0.0.1:8080/v2'],
    ],
    ['h.example', 'ftp://h.example', 'https://', '', 'javascript:alert(1)', 'file:///etc/passwd'],
  ],
  [
    'host',
    kinds.host(),
    [
      ['localhost', 'localhost'],
      ['10.0.0.1', '10.0.0.1'],
      ['::1', '::1'],
      ['a-b.c_d', 'a-b.c_d'],
    ],
    ['', 'a b', 'http://a', 'a/b', 'x'.repeat(254)],
  ],
  [
    'addresses',
    kinds.addresses(),
    [
      ['broker:9092', [{ host: 'broker', port: 9_092 }]],
      [
        'a.b-c_d:1, 10.0.0.1:65535,',
        [
          { host: 'a.b-c_d', port: 1 },
          { host: '10.0.0.1', port: 65_535 },
        ],
      ],
      ['[fd00::1]:6379', [{ host: 'fd00::1', port: 6_379 }]],
    ],
    [
      ', broker broker: :9092 broker:0 broker:65536 broker:http a:1;b:2 redis://a:1'.split(' '),
      'redis-cluster://a:1,b:2 user@a:1 a:1/0 ::1:6379 [a]:1 [::1]'.split(' '),
      ['', 'a:1 b:2', 'a:1,'.repeat(51)],
    ].flat(),
  ],
  [
    'networks',
    kinds.networks(),
    [
      ['', []],
      ['127.0.0.0/8', ['127.0.0.0/8']],
      [' 10.0.0.0/8 , ::1/128,', ['10.0.0.0/8', '::1/128']],
      ['0.0.0.0/0', ['0.0.0.0/0']],
    ],
    ['127.0.0.1', '127.0.0.0/33', '::1/129', '300.0.0.0/8', '10.0.0.0/8/8', 'lan', '10.0.0.0/-1', '10.0.0.0/'],
  ],
];

for (const [name, kind, good, bad] of cases) {
  test(`${name} takes what it says and refuses the rest`, (t) => {
    t.true(kind.format.length > 0);
    for (const [raw, value] of good) t.deepEqual(read(kind, raw), value, JSON.stringify(raw));
    for (const raw of bad) t.is(read(kind, raw), 'refused', JSON.stringify(raw));
  });
}

test('a list of networks matches the addresses inside and no other', (t) => {
  const list = blockListOf(['127.0.0.0/8', 'fd00::/8']);
  t.true(list.check('127.1.2.3'));
  t.false(list.check('128.0.0.1'));
  t.true(list.check('fd12::1', 'ipv6'));
  t.false(list.check('fe80::1', 'ipv6'));
  t.false(blockListOf([]).check('127.0.0.1'));
});

testProp(
  'every whole number within the bounds is taken, and only those',
  [fc.integer(), fc.integer(), fc.integer()],
  (t, a, b, n) => {
    const [min, max] = [Math.min(a, b), Math.max(a, b)];
    t.is(read(kinds.integer(min, max), String(n)), n >= min && n <= max ? n : 'refused');
  },
);

const everyKind = cases.map(([, kind]) => kind);

testProp(
  'no text makes a kind throw',
  [fc.constantFrom(...everyKind), fc.string({ unit: anyCharacter })],
  (t, kind, raw) => {
    t.notThrows(() => read(kind, raw));
  },
);

testProp('a network that is taken can be matched', [fc.ipV4(), fc.integer({ min: 0, max: 32 })], (t, address, bits) => {
  const items = read(kinds.networks(), `${address}/${bits}`) as string[];
  t.true(blockListOf(items).check(address));
});
