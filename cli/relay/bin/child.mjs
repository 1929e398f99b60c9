import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

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

const forwarded = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const checkMs = 500;
/** A terminal, npm and the shell may each send the same signal for one key press. */
const repeatMs = 1_000;
const isNpmGone = npmGone({ env: process.env, parent: () => process.ppid });

/**
 * What to start.
 * @typedef {object} ChildSpec
 * @property {string} command
 * @property {readonly string[]} args
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {import('node:child_process').StdioOptions} stdio
 * @property {(child: import('node:child_process').ChildProcess) => void} [onStart] called once it runs
 */

/** Sends a signal on, at most once a second per kind. @param {() => import('node:child_process').ChildProcess} child */
const forwarder = (child) => {
  /** @type {Map<string, number>} */
  const last = new Map();
  return (/** @type {NodeJS.Signals} */ signal) => {
    const now = performance.now();
    if (now - (last.get(signal) ?? -repeatMs) < repeatMs) return;
    last.set(signal, now);
    child().kill(signal);
  };
};

/** Calls `onGone` once when npm is gone; returns what ends the watch. @param {() => void} onGone */
const watchNpm = (onGone) => {
  const timer = setInterval(() => {
    if (!isNpmGone()) return;
    clearInterval(timer);
    onGone();
  }, checkMs);
  return () => clearInterval(timer);
};

/**
 * Runs a command to its end: passes signals on, ends it with SIGTERM when the npm that started this process disappears.
 * With an `ipc` channel in `stdio` the command can notice that this process was killed.
 * @param {ChildSpec} spec
 * @returns {Promise<number>} its exit code; 128 + signal number when a signal ended it; 127 when it cannot be started
 */
export const runChild = ({ command, args, cwd, env, stdio, onStart = () => {} }) =>
  new Promise((resolve) => {
    const send = forwarder(() => child);
    // Before the command runs: a signal that came in between would end this process and leave the command behind.
    for (const signal of forwarded) process.on(signal, send);
    const child = spawn(command, args, { cwd, env, stdio });
    const unwatch = watchNpm(() => send('SIGTERM'));
    const finish = (/** @type {number} */ code) => {
      unwatch();
      for (const signal of forwarded) process.off(signal, send);
      resolve(code);
    };
    child.once('error', (error) => {
      process.stderr.write(`${command} cannot be started: ${error.message}\n`);
      finish(127);
    });
    child.once('close', (code, signal) => finish(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
    child.once('spawn', () => onStart(child));
  });
