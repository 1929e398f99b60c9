import { kinds } from '@ranger-relay/runtime';
import test from 'ava';
import { runService } from './run.ts';

test('the help of a service calls required what its start would miss with nothing set', async (t) => {
  let out = '';
  const stdout = {
    write: (text: string) => void (out += text),
    writableLength: 0,
    on: () => undefined,
    listeners: () => [],
  };
  const host = { argv: ['node', 'service', '--help'], stdout } as unknown as NodeJS.Process;
  const code = await runService(host, {
    name: 'service',
    env: { TOKENS: { kind: kinds.text(), description: 'Tokens' }, EXTRA: { kind: kinds.text(), description: 'Extra' } },
    rules: ({ TOKENS }) => (TOKENS === undefined ? [{ variable: 'TOKENS', problem: 'is not set' }] : []),
    start: async () => t.fail() as never,
  });
  t.is(code, 0);
  const kindOf = (name: string): string | undefined => new RegExp(`  ${name}\n.*; (.*)\\.`).exec(out)?.[1];
  t.is(kindOf('KAFKA_BROKERS'), 'required');
  t.is(kindOf('TOKENS'), 'required by default');
  t.is(kindOf('EXTRA'), 'optional');
});
