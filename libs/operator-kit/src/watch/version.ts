const isCount = (version: string): boolean => /^[1-9]\d{0,30}$/.test(version);

/** True when both versions are counts of one API server and the first is the later one; undefined when they cannot be compared. */
export const isNewer = (version: string, than: string): boolean | undefined => {
  if (!isCount(version) || !isCount(than)) return undefined;
  return version.length === than.length ? version > than : version.length > than.length;
};
