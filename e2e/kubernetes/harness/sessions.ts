import { execFile } from 'node:child_process';
import type { ExecutionContext } from 'ava';
import { isRecorded, type Step } from '../../src/harness/console-blocks.ts';
import type { Finished } from '../../src/harness/product.ts';
import type { Patrols } from './patrols.ts';

/** What differs from one session to the next, made equal. */
const plain = (text: string): readonly string[] =>
  text
    .trimEnd()
    .replaceAll(/\d{8}T\d{6}Z/g, '<time>')
    .replaceAll(/[0-9a-f]{64}/g, '<hash>')
    .split('\n');

const typeIn = ({ desk, env }: Patrols, command: string): Promise<Finished> =>
  new Promise((resolve) => {
    const line = ['-o', 'pipefail', '-c', `${command} 2>&1`];
    execFile('bash', line, { cwd: desk, env, timeout: 300_000 }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });

/**
 * Types a recorded step as it stands, with the address of this world's site in the place of the example's, and holds what is printed
 * against the record.
 */
export const repeat = async (t: ExecutionContext, here: Patrols, { command, lines }: Step, example: string) => {
  const { code, stdout } = await typeIn(here, command.replace(example, here.harness.site.url));
  t.is(code, 0, `${command}\n${stdout}`);
  t.true(isRecorded(lines, stdout === '' ? [] : plain(stdout)), `${command}\n${stdout}`);
};
