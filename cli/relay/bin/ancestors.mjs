import { readFileSync } from 'node:fs';

const shells = new Set(['sh', 'dash', 'bash', 'ash', 'busybox', 'zsh', 'ksh']);

/**
 * Name and parent of a process, as Linux tells them; undefined when it is gone, or elsewhere.
 * @param {number} pid
 * @returns {{ name: string, parent: number } | undefined}
 */
export const processInfo = (pid) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in parentheses and may hold some itself; state and parent follow the last one.
    const end = stat.lastIndexOf(')');
    return { name: stat.slice(stat.indexOf('(') + 1, end), parent: Number(stat.slice(end + 2).split(' ')[1]) };
  } catch {
    return undefined;
  }
};

/**
 * A question to repeat: is the npm that started this process gone, as after `kill -9`? Between npm and this process there may be a shell that
 * lives on. Without npm the answer is always no: what a person starts in a shell may outlive the shell.
 * @param {{ env: NodeJS.ProcessEnv, parent: () => number, info?: typeof processInfo }} self
 * @returns {() => boolean}
 */
export const npmGone = ({ env, parent, info = processInfo }) => {
  if (env.npm_lifecycle_event === undefined) return () => false;
  const first = parent();
  const start = info(first);
  const above = start !== undefined && shells.has(start.name) ? start.parent : undefined;
  return () => parent() !== first || (above !== undefined && info(first)?.parent !== above);
};
