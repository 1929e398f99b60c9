/** @typedef {import('./tree.mjs').SourceFile} SourceFile */

const maxLines = 400;
/** What `run.mjs` and `.ci/run` load must work before anything is installed. */
const bootstrap = /^(scripts\/(run|kubernetes-record)(\/[^/]+)?|cli\/[^/]+\/bin\/[^/]+)(?<!\.test)\.mjs$/;

/** Words that once stood for a concept of the field, with the field's own word (docs/glossary.md). */
const standardWords = new Map([
  [/^([a-z]\w*)?Reign/, 'LeadershipTerm'],
  [/^([a-z]\w*)?Electorate/, 'LeaderElectionHarness'],
  [/^(desk|deskOf|\w+Desk)$/, 'jobLifecycle'],
  [/^(Say|Act|Doing)$/, 'StatusUpdate, JobAction, JobStep'],
  [/^(Looked|looker|lookAt\w*|lookAgainMs|lookEveryMs)$/, 'Observation, offsetFetcher, read…, recheckMs'],
  [/^(Wish|Want)$/, 'FetchRequest, PendingFetch'],
  [/^(dead-letter\w*|graves|Burial\w*|\w+Bury)$/, 'deadLetter, deadLetters'],
  [/^(takePush|comeAgain)$/, 'handlePush, nack'],
  [/^(\w*[dD]oors?)$|^[dD]oor[A-Z]/, 'handler, IngestLog…'],
  [/^(mend[A-Z]\w*|mended)$/, 'patch…'],
  [/^([a-z]\w*)?Wakeups$|^wakeups$/, 'RecordNotifier'],
  [/^([a-z]\w*)?Learner$/, 'PartitionCountResolver'],
  [/^(Telling|Notices|\w+Notices)$/, 'ActivityReporter'],
  [/^(Turns|\w+Turns|Gate)$/, 'KeyedMutex, CommandBatcher, Semaphore'],
  [/^(Flights|\w+Flights|flights)$/, 'singleflight'],
  [/^(takeUp|letGo|giveBack|standIn|spareMs)$/, 'acquire, release, staleFallback, errorTtlMs'],
  [/^(world|World|start\w*World|create\w*World)$/, 'harness'],
  [/^(witness|crew|reaper)$/i, 'invariants, replicas, killer'],
  [/^(most|longest|fewest)([A-Z]\w*)?$/, 'max…, min…'],
  [/(^k|K)eeper(Of)?$/, 'admin, state'],
  [/^[A-Z]\w*(Parts|Tools|Connections)$/, '…Dependencies, …Options'],
]);

/** The simulation of the whole product is a world; elsewhere that word stood for a test harness. */
const worldFolder = 'e2e/src/world/';

/** @param {string} name @param {string} path */
const standardWord = (name, path) =>
  path.startsWith(worldFolder) && /world/i.test(name)
    ? undefined
    : [...standardWords].find(([word]) => word.test(name))?.[1];

/** @param {string} path */
const mayExit = (path) => /(^|\/)main(-\w+)?\.ts$/.test(path) || path.startsWith('scripts/') || /\/bin\//.test(path);

/**
 * Breaches of the rules about single files, one sentence each.
 * @param {SourceFile} file
 * @returns {string[]}
 */
export const structureProblems = ({ path, lines, specifiers, exits, looseTests, names }) => {
  const foreign = bootstrap.test(path)
    ? specifiers.filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
    : [];
  return [
    ...(lines > maxLines ? [`${path}: ${lines} lines, at most ${maxLines}`] : []),
    ...(exits && !mayExit(path) ? [`${path}: process.exit is for main.ts alone`] : []),
    ...(looseTests && path.endsWith('.e2e.ts') ? [`${path}: scenarios share a harness; each is a test.serial`] : []),
    ...names.flatMap((name) => {
      const word = standardWord(name, path);
      return word === undefined ? [] : [`${path}: "${name}" is a word of our own; the field says ${word}`];
    }),
    ...foreign.map((specifier) => `${path}: "${specifier}" may not be there yet when nothing is installed`),
  ];
};

/**
 * Breaches of the rules about the root's own files, one sentence each.
 * @param {{ references: readonly string[], folders: readonly string[], lock: Record<string, Record<string, any>> }} root
 *   what the root's tsconfig.json refers to; folders that have one of their own; the lockfile's `packages`
 * @returns {string[]}
 */
export const rootProblems = ({ references, folders, lock }) => {
  const fetched = Object.entries(lock).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  return [
    ...folders
      .filter((folder) => !references.includes(folder))
      .map((folder) => `tsconfig.json: the reference to ${folder} is missing`),
    ...fetched
      .filter(([, entry]) => !entry.integrity?.startsWith('sha512-'))
      .map(([path]) => `package-lock.json: ${path} has no sha512 integrity`),
    ...fetched
      .filter(([, { resolved }]) => resolved !== undefined && !resolved.startsWith('https://'))
      .map(([path]) => `package-lock.json: ${path} is not fetched by https`),
  ];
};
