import { quote } from '../describe.ts';

const unsafe = (path: string): string | null => {
  if (path === '') return 'is empty';
  if (/\p{Cc}/u.test(path)) return 'holds a control character';
  if (path.includes('\\')) return 'holds a backslash; separate folders by /';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is not relative to the bundle';
  return path.split('/').some((part) => part === '' || part === '.' || part === '..')
    ? 'holds an empty part, "." or ".."'
    : null;
};

/** Why a path of the manifest is not one below the bundle, as a sentence; null when it is one (bundle contract, 5). */
export const pathProblem = (path: string): string | null => {
  const problem = unsafe(path);
  return problem === null ? null : `the path ${quote(path)} ${problem}`;
};

/** Equal for paths that some file system takes for the same. */
export const pathIdentity = (path: string): string => path.normalize('NFC').toLowerCase();
