import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './code-of.mjs';

const pollMs = 200;
const patienceMs = 15 * 60_000;
/** A directory without a pid is between two steps of its owner; beyond this it is a left-over. */
const namelessMs = 5_000;

/** @param {string} dir */
const ownerOf = (dir) => {
  try {
    return Number(readFileSync(join(dir, 'pid'), 'utf8')) || undefined;
  } catch {
    return undefined;
  }
};

/** @param {number} pid */
export const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
};

/** @param {string} dir */
const tryTake = (dir) => {
  try {
    mkdirSync(dir);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(join(dir, 'pid'), String(process.pid));
  return true;
};

/**
 * Moves a dead owner's directory away. Another process may have done so and taken the lock in between: then it is put back.
 * @param {string} dir @param {number | undefined} dead
 */
const clear = (dir, dead) => {
  const aside = `${dir}.${process.pid}`;
  try {
    renameSync(dir, aside);
    if (ownerOf(aside) === dead) rmSync(aside, { recursive: true });
    else renameSync(aside, dir);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
  }
};

/**
 * Runs `task` while no other process runs one under the same directory; a dead process's lock is taken over.
 * @template T
 * @param {string} dir made while the task runs
 * @param {() => Promise<T>} task
 * @param {(owner: number | undefined) => void} onWait told once when another process is at work
 * @returns {Promise<T>}
 */
export const withLock = async (dir, task, onWait = () => {}) => {
  const start = performance.now();
  let namelessSince = start;
  for (let told = false; !tryTake(dir); await sleep(pollMs)) {
    const owner = ownerOf(dir);
    if (owner !== undefined) namelessSince = performance.now();
    if (owner === undefined ? performance.now() - namelessSince > namelessMs : !isAlive(owner)) clear(dir, owner);
    else if (!told) {
      told = true;
      onWait(owner);
    }
    if (performance.now() - start > patienceMs)
      throw new Error(`${dir} is held by process ${owner}; remove it when no installation runs`);
  }
  try {
    return await task();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};
