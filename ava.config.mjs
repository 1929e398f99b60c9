export default {
  files: [
    '{libs,services,cli}/*/src/**/*.test.ts',
    'cli/*/bin/**/*.test.mjs',
    'scripts/**/*.test.mjs',
    'e2e/{src,kubernetes}/**/*.test.ts',
  ],
  extensions: { ts: 'module', mjs: true },
  nodeArguments: ['--conditions=@ranger-relay/source'],
  concurrency: 2,
  // Threads of one process share what V8 knows of its compiled pages, and V8 ends the process when that is amiss.
  workerThreads: false,
  // Without any result; programs of the cluster may be built beside the tests.
  timeout: '3m',
};
