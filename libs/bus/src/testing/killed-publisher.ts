import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const killAfter = 200;

/** Runs a publisher's script, which prints what was acknowledged, and kills it with -9 after 200 lines. Answers all that it printed. */
export const publishUntilKilled = async (script: string, ...args: readonly string[]): Promise<readonly string[]> => {
  const child = spawn(process.execPath, ['--conditions=@ranger-relay/source', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(line);
    if (acknowledged.length === killAfter) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return acknowledged;
};
