import { clientNode, serviceNames, shortLived } from '../bundle/write-bundle.mjs';

/**
 * What a program in an image does first: it ends at a signal until it listens to it itself. As process 1 of a container it would otherwise
 * miss one that comes before it has loaded, and be killed at the end of the grace.
 * @param {Pick<NodeJS.Process, 'on' | 'off' | 'exit'>} host
 */
const endWhenAsked = (host) => {
  for (const [signal, code] of /** @type {const} */ ([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ])) {
    const end = () => host.exit(code);
    const giveWay = (/** @type {string | symbol} */ event) => {
      if (event !== signal) return;
      host.off('newListener', giveWay);
      // Not at once: without any listener for a moment the signal could be lost.
      queueMicrotask(() => host.off(signal, end));
    };
    host.on(signal, end);
    host.on('newListener', giveWay);
  }
};

/** The same as text, to stand before a bundle. */
export const first = `(${endWhenAsked})(process);`;

/** User and group that programs in images run as; a number, so that a cluster can see that it is not root. */
export const nonRoot = 65_532;

/** How a program of ours runs, whichever it is. */
export const running = {
  user: `${nonRoot}:${nonRoot}`,
  folder: '/app',
  entrypoint: ['/usr/local/bin/node'],
  env: [
    'PATH=/usr/local/bin',
    'NODE_ENV=production',
    'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
    'DATA_DIR=/data',
    // The C library would keep a pool of memory for each thread.
    'MALLOC_ARENA_MAX=1',
  ],
};

/** @typedef {import('../bundle/write-bundle.mjs').BundleSpec} BundleSpec */

/**
 * One of the images.
 * @typedef {object} ImageDefinition
 * @property {string} name also of its archive
 * @property {string} folder package whose version it has
 * @property {string} description
 * @property {number} limit most bytes that its layers may have together
 * @property {readonly string[]} command what runs when nothing else is asked for
 * @property {readonly BundleSpec[]} programs `file` is the name in /app
 */

/** @param {string} input @param {string} file @param {Partial<BundleSpec>} [more] @returns {BundleSpec} */
const program = (input, file, more) => ({ input, file, banner: first, ...more });

/** @param {ImageDefinition} definition @param {string} version @param {string} created */
export const labelsOf = ({ name, description }, version, created) => ({
  'org.opencontainers.image.title': name,
  'org.opencontainers.image.description': description,
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.licenses': 'Apache-2.0',
  'org.opencontainers.image.created': created,
});

/**
 * What images there are.
 * @param {string} root folder of the workspace
 * @returns {readonly ImageDefinition[]}
 */
export const imageDefinitions = (root) => [
  {
    name: 'ranger-relay',
    folder: 'cli/relay',
    description:
      'Carries what satellite devices of rangers say to a data platform, and texts back: the services and their command line',
    limit: 140_000_000,
    command: ['/app/ranger-relay.mjs', '--help'],
    programs: [
      program('cli/relay/src/main.ts', 'ranger-relay.mjs'),
      { input: 'libs/sqlite/src/sqlite-worker.ts', file: 'sqlite-worker.js' },
      clientNode('client-node.js'),
      ...serviceNames(root).map((name) => program(`services/${name}/src/main.ts`, `${name}.mjs`)),
    ],
  },
  {
    name: 'sync-tool',
    folder: 'cli/sync-tool',
    description: 'Prepares a ranger-tracking site for patrol import, and takes it back',
    limit: 130_000_000,
    command: ['/app/sync-tool.mjs', '--help'],
    programs: [program('cli/sync-tool/src/main.ts', 'sync-tool.mjs', { options: shortLived(root) })],
  },
];
