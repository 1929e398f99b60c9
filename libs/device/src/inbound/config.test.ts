import test from 'ava';
import { readInboundConfig } from './config.ts';

const whole = { api_url: ' https://host ', username: 'ops', password: ' p ' };

test('an account is read; the address loses the blanks around it, the password keeps them', (t) => {
  t.deepEqual(readInboundConfig({ ...whole, other: 1 }), { apiUrl: 'https://host', username: 'ops', password: ' p ' });
});

const broken: readonly (readonly [data: unknown, field: string])[] = [
  [null, 'api_url'],
  [undefined, 'api_url'],
  ['text', 'api_url'],
  [{}, 'api_url'],
  [{ ...whole, api_url: '  ' }, 'api_url'],
  [{ ...whole, api_url: 5 }, 'api_url'],
  [{ ...whole, username: undefined }, 'username'],
  [{ ...whole, username: ' ' }, 'username'],
  [{ ...whole, password: '' }, 'password'],
  [{ ...whole, password: null }, 'password'],
];
for (const [data, field] of broken)
  test(`${JSON.stringify(data)} lacks ${field}`, (t) => {
    t.is<unknown, unknown>(readInboundConfig(data), field);
  });
