import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Sets of alerts and dashboards; each is a chart's too, and a chart can read files of its own folder alone. */
const sets = [
  'ranger-relay',
  'webhook-ingester',
  'observation-forwarder',
  'message-pusher',
  'action-runner',
  'operator',
  'patrol-sync',
];

const textOf = (/** @type {string} */ path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/**
 * The charts' copies of rules and dashboards as they are (empty when they are not there) and as they should be.
 * @param {string} root
 * @returns {{ file: string, is: string, should: string }[]}
 */
export const chartCopies = (root) => {
  const own = sets.filter((set) => existsSync(join(root, 'charts', set)));
  const pairs = own.flatMap((set) => [
    { from: `k8s/alerts/${set}.yaml`, file: `charts/${set}/files/alerts.yaml` },
    { from: `k8s/dashboards/${set}.json`, file: `charts/${set}/files/dashboards/${set}.json` },
  ]);
  const made = pairs.filter(({ from }) => existsSync(join(root, from)));
  return made.map(({ from, file }) => ({ file, is: textOf(join(root, file)), should: textOf(join(root, from)) }));
};

/** Makes the folder of a copy. @param {string} root @param {string} file */
export const makeFolderOf = (root, file) => mkdirSync(join(root, dirname(file)), { recursive: true });
