import { writeGroups } from './scripts/run/test-groups/groups.mjs';

const patterns = [
  '{libs,services,cli}/*/src/**/*.test.ts',
  'cli/*/bin/**/*.test.mjs',
  'scripts/**/*.test.mjs',
  'e2e/{src,kubernetes}/**/*.test.ts',
];

/** Set by `npm test`: files of a package share a process, so that what they import alike is imported once. */
const groups = JSON.parse(process.env.TEST_GROUPS ?? 'null');

export default {
  files: groups ? [writeGroups({ root: import.meta.dirname, patterns, ...groups })] : patterns,
  require: [
    ...(groups ? ['./scripts/run/test-groups/hooks.mjs'] : []),
    // LONG_LISTS=1 npm test: also the lists that need not be long to find faults; takes half as long again.
    ...(process.env.LONG_LISTS ? ['./scripts/run/test-groups/property-sizes.mjs'] : []),
  ],
  extensions: { ts: 'module', mjs: true },
  nodeArguments: ['--conditions=@ranger-relay/source'],
  // One more than the usual two cores: tests also wait for sockets and processes.
  concurrency: 3,
  // Threads of one process share what V8 knows of its compiled pages, and V8 ends the process when that is amiss.
  workerThreads: false,
  // Without any result; programs of the cluster may be built beside the tests.
  timeout: '3m',
};
