// The record of the last green run of the Kubernetes suites: node scripts/kubernetes-record.mjs inputs | unchanged | record [inputs]
// Runs on Node 20 with nothing installed, because .ci/run asks before it installs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { currentCommit, hashInputs, recordPath } from './kubernetes-record/inputs.mjs';
import { codeOf } from './run/code-of.mjs';
import { say } from './run/say.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = join(root, recordPath);

const print = (/** @type {string} */ line) => void process.stdout.write(`${line}\n`);

/**
 * The commit of the last green run, for people, and the hash of its inputs; undefined when none is recorded.
 * @returns {{ commit: string, inputs: string } | undefined}
 */
const readRecord = () => {
  try {
    const { commit, inputs } = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof commit === 'string' && typeof inputs === 'string') return { commit, inputs };
    throw new Error('it needs a "commit" and "inputs"');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Error(`${recordPath} cannot be read: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
};

/** Prints why the suites may be left out; without a reason to, says why on standard error and fails. */
const unchanged = () => {
  const record = readRecord();
  if (record?.inputs === hashInputs(root)) {
    print(
      `nothing they depend on has changed since their green run at commit ${record.commit}; KUBERNETES=1 .ci/run runs them`,
    );
    return 0;
  }
  say(
    record === undefined
      ? `${recordPath} is missing: no green run of the Kubernetes suites is recorded`
      : `what the Kubernetes suites depend on has changed since their green run at commit ${record.commit}`,
  );
  return 1;
};

/** Records a green run of both suites, unless inputs have changed since it began. @param {string} [began] their hash then */
const record = (began) => {
  const inputs = hashInputs(root);
  if (began !== undefined && began !== inputs) {
    say(`${recordPath} is not written: what the Kubernetes suites depend on changed while they ran`);
    return 1;
  }
  const commit = currentCommit(root);
  writeFileSync(file, `${JSON.stringify({ commit, inputs }, undefined, 2)}\n`);
  print(
    `${recordPath} records the green run at commit ${commit}; commit this file, and .ci/run leaves them out until an input changes`,
  );
  return 0;
};

/** @type {Readonly<Record<string, (given?: string) => number>>} */
const actions = {
  inputs: () => {
    print(hashInputs(root));
    return 0;
  },
  unchanged: () => unchanged(),
  record,
};

const [name = '', given] = process.argv.slice(2);
try {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) throw new Error(`say one of ${Object.keys(actions).join(', ')}`);
  process.exitCode = action(given);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
