import type { ExecutionContext } from 'ava';
import { isRecorded, type Step } from '../../src/harness/console-blocks.ts';
import { call } from './call.ts';
import type { Patrols } from './patrols.ts';

/** What differs from one session to the next, made equal. */
const plain = (text: string): readonly string[] =>
  text
    .trimEnd()
    .replaceAll(/\d{8}T\d{6}Z/g, '<time>')
    .replaceAll(/[0-9a-f]{64}/g, '<hash>')
    .split('\n');

/**
 * Types a recorded step as it stands, with the address of this world's site in the place of the example's, and holds what is printed
 * against the record.
 */
export const repeat = async (t: ExecutionContext, here: Patrols, { command, lines }: Step, example: string) => {
  const line = `${command.replace(example, here.harness.site.url)} 2>&1`;
  const options = { cwd: here.desk, env: here.env, timeoutMs: 300_000 };
  const { code, stdout } = await call('bash', ['-o', 'pipefail', '-c', line], options);
  t.is(code, 0, `${command}\n${stdout}`);
  t.true(isRecorded(lines, stdout === '' ? [] : plain(stdout)), `${command}\n${stdout}`);
};
