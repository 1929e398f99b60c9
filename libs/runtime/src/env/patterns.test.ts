import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { kinds, textForm, type Kind } from '../index.ts';
import { network, subnet, wholeNumbers } from './patterns.ts';

const formOf = textForm;

const patternOf = (kind: Kind<unknown>): string => textForm(kind).pattern ?? '';

const bound = fc.integer({ min: -2_000_000, max: 2_000_000 });

testProp(
  'the pattern of a range matches every number in it and none outside',
  [bound, bound, fc.array(bound, { minLength: 20, maxLength: 20 })],
  (t, a, b, numbers) => {
    const [min, max] = [Math.min(a, b), Math.max(a, b)];
    const pattern = new RegExp(`^${wholeNumbers(min, max)}$`);
    for (const n of [...numbers, min, max, min - 1, max + 1, 0])
      t.is(pattern.test(String(n)), n >= min && n <= max, `${n} in ${min}..${max}`);
  },
);

test('small ranges are matched whole', (t) => {
  for (let min = -25; min <= 130; min += 5)
    for (let max = min; max <= 130; max += 7) {
      const pattern = new RegExp(`^${wholeNumbers(min, max)}$`);
      for (let n = -30; n <= 140; n++) t.is(pattern.test(String(n)), n >= min && n <= max, `${n} in ${min}..${max}`);
    }
});

for (const [name, kind] of [
  ['a whole number', kinds.integer(-300, 70_000)],
  ['a port', kinds.port()],
  ['an address', kinds.url()],
  ['servers', kinds.addresses()],
  ['brokers', kinds.brokers()],
  ['networks', kinds.networks()],
  ['a host', kinds.host()],
] as const)
  testProp(
    `whatever the published form of ${name} matches is taken`,
    [fc.stringMatching(new RegExp(patternOf(kind)))],
    (t, raw) => {
      t.true(kind.schema.safeParse(raw).success, raw);
    },
  );

testProp(
  'whatever the published form of a list of addresses matches are addresses',
  [fc.stringMatching(new RegExp(patternOf(kinds.urlList(500))))],
  (t, raw) => {
    const items = raw.split(',').map((item) => item.trim());
    for (const item of items.filter(Boolean)) t.true(kinds.url().schema.safeParse(item).success, item);
  },
);

for (const [name, kind, usual] of [
  ['a port', kinds.port(), ['0', '80', '8081', '65535']],
  [
    'an address',
    kinds.url(),
    [
      'https://api.platform.example',
      'http://127.0.0.1:8080/v2/',
      'http://relay-site.park.svc:80/x_y',
      'https://auth.example/token?tenant=a',
      'https://a.example?x=1',
      'https://a.example/v1/x:token',
      'https://[fd00::1]:8443/x',
      'https://host_a/x',
      'https://3scale.example.',
      'https://1a/',
    ],
  ],
  [
    'brokers',
    kinds.brokers(),
    [
      'kafka:9092',
      '10.0.0.1:9092, kafka-1.kafka:9092',
      'kafka_1:9092',
      '1broker:9092',
      '0-1a:1',
      ' a:1 ',
      'a:1,',
      'a:1,\n  b:2,\n',
      ',,a:1 , , b:2',
    ],
  ],
  [
    'a list of addresses',
    kinds.urlList(500),
    ['https://issuer.example', 'https://a.example/realms/Park%20One, http://10.0.0.1:8080,'],
  ],
  [
    'servers',
    kinds.addresses(),
    ['kafka:9092', 'kafka-0.kafka.park.svc.cluster.local:9092, kafka-1.kafka:9092', '10.0.0.1:9092', '[fd00::1]:6379'],
  ],
  [
    'networks',
    kinds.networks(),
    ['', '10.0.0.0/8', '10.0.0.0/8, 127.0.0.0/8,fd00::/8', ' 10.0.0.0/8 ,', '::/0', '::1/128', '1:2:3:4:5:6:7::/64'],
  ],
] as const)
  test(`the published form of ${name} matches what people write`, (t) => {
    const pattern = new RegExp(patternOf(kind));
    for (const raw of usual) t.regex(raw, pattern);
  });

for (const [name, kind, wrong] of [
  [
    'an address',
    kinds.url(),
    ['https://a b', 'ftp://a', 'https://300.1.1.1', 'https://a:99999', 'https://[fd00::1', 'a'],
  ],
  [
    'brokers',
    kinds.brokers(),
    ['', ',', 'a', 'a:0', 'a:1 b:2', 'kafka://a:1', '[::1]:9092', '300.1.1.1:9092', '0x10:1'],
  ],
  ['networks', kinds.networks(), ['10.0.0.0', '10.0.0.0/33', '300.1.1.1/8', '1:/9', 'fd00::/129', '1::2::3/64']],
] as const)
  test(`the published form of ${name} leaves out what looks like a mistake`, (t) => {
    const pattern = new RegExp(patternOf(kind));
    for (const raw of wrong) t.notRegex(raw, pattern);
  });

testProp(
  'one network of the published form is taken as a list of one',
  [fc.oneof(fc.stringMatching(new RegExp(network)), fc.stringMatching(new RegExp(subnet)))],
  (t, raw) => {
    t.deepEqual(kinds.networks().schema.safeParse(raw).data, [raw]);
  },
);

test('a switch and a choice publish their words, a number its bounds', (t) => {
  t.deepEqual(formOf(kinds.oneOf('a', 'b')).enum, ['a', 'b']);
  const { enum: words = [] } = formOf(kinds.flag());
  t.deepEqual(words.slice(0, 2), ['true', 'false']);
  for (const word of words) t.true(kinds.flag().schema.safeParse(word).success, word);
  t.deepEqual([formOf(kinds.integer(-5, 100)).minimum, formOf(kinds.integer(-5, 100)).maximum], [-5, 100]);
});

test('what is published can be read by engines without look-around and back references', (t) => {
  for (const kind of [
    kinds.integer(0, 9),
    kinds.url(),
    kinds.urlList(9),
    kinds.addresses(),
    kinds.brokers(),
    kinds.networks(),
    kinds.host(),
    kinds.slug(),
    kinds.topic(),
  ])
    t.notRegex(patternOf(kind), /\(\?[=!<]|\\[1-9k]/);
});
