import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../../cli/relay/bin/child.mjs';
import { closingLine, reporter } from './report.mjs';
import { tapReader } from './tap.mjs';

/** The file of a scenario that is named without folder and ending; anything else is left to AVA. @param {string} cwd */
const fileOf = (cwd) => (/** @type {string} */ arg) =>
  ['src', 'kubernetes'].map((folder) => `${folder}/${arg}.e2e.ts`).find((path) => existsSync(join(cwd, path))) ?? arg;

/**
 * Runs AVA over the tests of a folder and prints failures, progress and the closing line.
 * @param {{ node: string, root: string, cwd: string, env: NodeJS.ProcessEnv, args: readonly string[], out?: NodeJS.WriteStream }} options
 * @returns {Promise<number>} 0 only when tests ran and none failed
 */
export const runTests = async ({ node, root, cwd, env, args: named, out = process.stdout }) => {
  const args = named.map(fileOf(cwd));
  const reader = tapReader();
  const report = reporter(out);
  // A reader that went away (`| head`) must not end the run with a stack.
  out.on('error', () => {});
  const preload = `--import=${new URL('./end-with-parent.mjs', import.meta.url).href}`;
  const ava = join(root, 'node_modules', 'ava', 'entrypoints', 'cli.mjs');
  // Test files run in several processes, scenarios start services: what they compile alike is compiled once.
  const compiled = join(root, 'node_modules', '.cache', 'ranger-relay', 'compiled');
  // Other arguments are for AVA, which knows the single files by them.
  const isGrouped = args.every((arg) => existsSync(join(cwd, arg)));
  const folder = `dist/tests/${process.pid}`;
  const groups = isGrouped ? { TEST_GROUPS: JSON.stringify({ folder, paths: args }) } : {};
  const code = await runChild({
    command: node,
    args: [preload, ava, '--tap', ...(isGrouped ? [] : args)],
    cwd,
    env: { NODE_COMPILE_CACHE: compiled, ...groups, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    onStart: ({ stdout }) => {
      stdout?.setEncoding('utf8');
      stdout?.on('data', (text) => reader.push(text).forEach(report.point));
    },
  });
  rmSync(join(cwd, folder), { recursive: true, force: true });
  reader.end().forEach(report.point);
  const counts = reader.counts();
  if (code !== 0 && counts.failed === 0) {
    counts.failed = 1;
    report.note(
      `The test runner ended with exit code ${code} without naming a failed test${args.length > 0 ? `; does one match ${args.join(' ')}?` : '.'}`,
    );
  }
  if (counts.passed + counts.failed === 0) report.note('No test ran.');
  report.close(closingLine(counts));
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
};
