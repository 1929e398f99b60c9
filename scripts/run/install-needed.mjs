/**
 * One entry of a lockfile's `packages`.
 * @typedef {{ version?: string, integrity?: string, link?: boolean, resolved?: string, optional?: boolean, peer?: boolean }} LockedPackage
 */

/** @param {LockedPackage} wanted @param {LockedPackage | undefined} present */
const agrees = (wanted, present) => {
  if (present === undefined) return wanted.optional === true || wanted.peer === true;
  return (
    wanted.version === present.version &&
    wanted.integrity === present.integrity &&
    Boolean(wanted.link) === Boolean(present.link)
  );
};

/** @param {string} text @returns {Record<string, LockedPackage> | undefined} */
const packagesOf = (text) => {
  try {
    const packages = JSON.parse(text).packages;
    return packages !== null && typeof packages === 'object' ? packages : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Why an installation is needed, or undefined when what is installed is what the lockfile asks for.
 * Optional packages of other platforms may be absent.
 * @param {string} wantedLock content of package-lock.json
 * @param {string | undefined} presentLock content of node_modules/.package-lock.json, which npm writes last
 * @returns {string | undefined}
 */
export const installReason = (wantedLock, presentLock) => {
  if (presentLock === undefined) return 'nothing is installed yet';
  const wanted = packagesOf(wantedLock);
  if (wanted === undefined) throw new Error('package-lock.json cannot be read; restore it from version control');
  const present = packagesOf(presentLock);
  if (present === undefined) return 'the last installation did not finish';
  const stale = Object.entries(wanted).find(([path, entry]) => path !== '' && !agrees(entry, present[path]));
  return stale === undefined ? undefined : `${stale[0]} is not what package-lock.json asks for`;
};
