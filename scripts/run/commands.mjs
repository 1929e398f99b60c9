import { readFileSync } from 'node:fs';

/** How the launcher starts `up`. */
const service = JSON.parse(readFileSync(new URL('../../cli/relay/bin/service-process.json', import.meta.url), 'utf8'));

const source = '--conditions=@ranger-relay/source';
const orphan = '--import=./scripts/run/end-with-parent.mjs';

/**
 * One thing that `run.mjs` can do.
 * @typedef {object} Command
 * @property {string} about
 * @property {'node' | 'tests' | 'tool'} kind `node`: runs Node 24 with `args`; `tests`: AVA, counted; `tool`: a program of node_modules/.bin
 * @property {string} [cwd] folder below the root
 * @property {readonly (readonly string[])[]} [first] scripts that run before with their arguments, in the same folder
 * @property {readonly string[]} args what stands before the caller's arguments
 * @property {Readonly<Record<string, string>>} [env] variables that are set unless the caller sets them
 */

const checks = ['check:format', 'check:lint', 'check:types', 'check:imports', 'check:dead'];

/**
 * A command that runs scenarios, once what they run against is there.
 * @param {string} about @param {string} config name of the settings in `e2e`
 * @returns {Command}
 */
const scenarios = (about, config = 'ava') => ({
  about,
  kind: 'tests',
  cwd: 'e2e',
  first: [['src/harness/prepare.ts']],
  args: ['--config', `${config}.config.mjs`],
});

/** @type {Readonly<Record<string, Command>>} */
export const commands = Object.freeze({
  relay: { about: 'runs the ranger-relay command line', kind: 'node', args: [source, 'cli/relay/src/main.ts'] },
  'sync-tool': { about: 'runs the sync-tool command line', kind: 'node', args: [source, 'cli/sync-tool/src/main.ts'] },
  start: {
    about: 'bundles the command line and runs it, as an installation would',
    kind: 'node',
    first: [['scripts/bundle.mjs', 'relay']],
    args: [...service.flags, 'cli/relay/dist/ranger-relay.js'],
    env: service.env,
  },
  test: { about: 'runs every unit and contract test', kind: 'tests', args: [] },
  e2e: scenarios('runs the scenarios against the running product'),
  'e2e:timed': scenarios('runs those scenarios that hold services to times', 'timed'),
  'e2e:prepare': {
    about: 'bundles the product, and installs what the scenarios run against and the machine lacks',
    kind: 'node',
    first: [['scripts/bundle.mjs']],
    args: ['e2e/src/harness/prepare.ts'],
  },
  'e2e:charts': {
    about: 'renders the charts with Helm and checks the manifests, without a cluster',
    kind: 'tests',
    cwd: 'e2e',
    args: ['--config', 'charts.config.mjs'],
  },
  'e2e:kubernetes': scenarios(
    'runs the scenarios on a real Kubernetes, which it builds first where it is missing',
    'kubernetes',
  ),
  'e2e:kubernetes:alone': scenarios(
    'runs those scenarios on Kubernetes beside which no other may run',
    'kubernetes-alone',
  ),
  world: {
    about: 'runs whole simulated worlds: every service, on simulated time, with faults drawn from a seed',
    kind: 'node',
    // A larger young generation: most of what a world allocates dies at once.
    args: ['--max-semi-space-size=64', source, 'e2e/src/world/main.ts'],
  },
  bench: {
    about: 'measures speed and memory',
    kind: 'node',
    first: [['e2e/src/harness/prepare.ts'], ['scripts/bundle.mjs']],
    args: [orphan, source, 'e2e/src/bench/main.ts'],
  },
  verify: {
    about: 'checks format, lint, types, import rules, budget and dead code',
    kind: 'tool',
    args: ['turbo', 'run', ...checks, '--continue=always', '--output-logs=errors-only', '--concurrency=2'],
  },
  charts: { about: 'writes the generated parts of the charts', kind: 'node', args: [source, 'scripts/charts.mjs'] },
  docs: { about: 'writes the generated parts of the documents', kind: 'node', args: [source, 'scripts/docs.mjs'] },
  bundle: { about: 'bundles the command line', kind: 'node', args: ['scripts/bundle.mjs'] },
  'program-image': {
    about: 'makes an image of one static program',
    kind: 'node',
    args: ['scripts/program-image.mjs'],
  },
  images: { about: 'makes the container images as archives', kind: 'node', args: ['scripts/images.mjs'] },
});

/** One line per command. */
export const usage = () =>
  [
    'Usage: node scripts/run.mjs <command> [arguments]',
    '',
    ...Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(20)} ${about}`),
  ].join('\n');
